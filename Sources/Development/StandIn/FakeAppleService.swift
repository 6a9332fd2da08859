package import DevelopmentHTTP
package import JSON
import POSIX
package import Sockets

/// Stands in for Apple's servers for Sign in with Apple: over HTTP, or called directly by tests.
/// Copies share their state.
package struct FakeAppleService: Sendable {
    package let developer: DeveloperAccount
    package let keys: PublishedKeys
    let audience: String
    private let grants: GrantStore
    private let transfers: TransferStore
    private let faults = Faults<AppleFault>()
    private let forged = ForgedAnswers()
    private let log: RequestLog
    let sender: NotificationSender
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - folder: where the grants are kept.
    ///   - clock: the time in seconds since 1970.
    ///   - report: is called with each request, also those that control the fake.
    package init(
        folder: String, keys: PublishedKeys, developer: DeveloperAccount,
        sender: NotificationSender = NotificationSender(),
        clock: @escaping @Sendable () -> Int64 = { WallClock.millisecondsSince1970() / 1000 },
        report: @escaping @Sendable (RequestRecord) -> Void = { _ in }
    ) throws {
        grants = try GrantStore(in: folder)
        transfers = try TransferStore(in: folder)
        self.keys = keys
        self.developer = developer
        audience = developer.clientIDs.first ?? MintOrder.defaultBundleID
        self.sender = sender
        log = RequestLog(report: report)
        self.clock = clock
    }

    /// - Parameter others: the answer of another service on the same port; nil for a path that is not its own.
    package func server(
        on listener: consuming Listener, names: HostNames = HostNames(),
        others: @escaping @Sendable (HTTPRequest) -> HTTPAction? = { _ in nil }
    ) -> HTTPServer {
        HTTPServer(
            "fake-apple", on: listener, names: names,
            advice: "if it is a name of this one, start the program with --host NAME"
        ) { others($0) ?? answer($0) }
    }

    func answer(_ request: HTTPRequest) -> HTTPAction {
        guard !request.path.hasPrefix("/auth/") else {
            let endpoints = AuthEndpoints(
                keys: keys, developer: developer, grants: grants, faults: faults, forged: forged, requests: log,
                transfers: transfers)
            return endpoints.answer(request, now: clock())
        }
        let reply = controlReply(to: request)
        log.report(control: request, status: reply.statusCode)
        return .reply(reply)
    }

    private func controlReply(to request: HTTPRequest) -> HTTPReply {
        do {
            // The control endpoints need no credentials, so a page of another origin must not call them.
            guard request.isFromSameOrigin(.http) else { throw Self.otherOrigin }
            return .ok(try control(request))
        } catch let refusal as HTTPRefusal {
            return refusal.reply
        } catch {
            return .refusal("500 Internal Server Error", "\(error)")
        }
    }
}

extension FakeAppleService {
    /// The body of a login at the current time. Its code can be exchanged.
    package func login(_ order: MintOrder) -> JSONObject {
        let login = Mint(key: keys.signing, view: transfers.view).mintLogin(order, now: clock())
        grants.add(login)
        transfers.remember(login.person)
        return login.body
    }

    /// A notification in the form that Apple's servers post: `{"payload": …}`.
    package func notification(_ order: NotificationOrder) -> JSONObject {
        Mint(key: keys.signing, view: transfers.view).notification(order, now: clock())
    }

    /// Transfers the app, or changes what belongs to a transfer: the body of `POST /transfer`.
    package func transfer(_ order: JSONObject) throws { try transfers.apply(order, developer) }

    /// Makes Apple's endpoints fail in this way.
    package func addFault(_ fault: Fault<AppleFault>) { faults.add(fault) }

    package func removeFaults() { faults.clear() }

    /// The requests to paths below `/auth`, the oldest first.
    package var requests: [RequestRecord] { log.all }

    package func clearRequests() { log.clear() }

    package var authorisations: [Authorisation] {
        grants.all.map { Authorisation(subject: $0.person.subject, clientID: $0.person.audience) }
    }
}

extension FakeAppleService {
    /// Answers the endpoints that control the fake. Apple does not have these.
    func control(_ request: HTTPRequest) throws -> JSONObject {
        switch (request.method, request.path) {
        case ("GET", "/mint"): return login(MintOrder(audience: audience))
        case ("POST", "/mint"): return login(try MintOrder(try request.object(), audience: audience))
        case ("POST", "/notify"): return try notify(request)
        case ("GET", "/faults"): return faults.json
        case ("POST", "/faults"): addFault(try Fault(try request.object()))
        case ("DELETE", "/faults"): removeFaults()
        case ("POST", "/services"): try developer.services.register(try request.object())
        case ("GET", "/transfer"): return transfers.json(developer)
        case ("POST", "/transfer"): try transfer(try request.object())
        case ("POST", "/answers"): forged.add(try ForgedAnswer(try request.object()))
        case ("DELETE", "/answers"): forged.clear()
        case ("POST", "/keys/rotate"): try keys.rotate()
        case ("POST", "/keys/turnover"): try keys.turnOver()
        case ("GET", "/requests"): return ["requests": .array(requests.map { .object($0.json) })]
        case ("DELETE", "/requests"): clearRequests()
        case ("GET", "/authorisations"): return ["authorisations": .array(authorisations.map { .object($0.json) })]
        default: throw Self.unknownPath
        }
        return [:]
    }

    private func notify(_ request: HTTPRequest) throws -> JSONObject {
        let order = try NotificationOrder(try request.object(), audience: audience)
        var result = notification(order)
        guard let address = order.address else { return result }
        for (name, value) in try sender.deliver(result, to: address).members { result[name] = value }
        return result
    }

    private static let unknownPath = HTTPRefusal(
        "404 Not Found",
        "/auth/authorize, /auth/keys, /auth/token, /auth/revoke, \(MigrationEndpoint.path), /mint, /notify, /services, "
            + "/transfer, /answers, /faults, /keys/rotate, /keys/turnover, /requests, /authorisations")

    private static let otherOrigin = HTTPRefusal(
        "403 Forbidden",
        "the request comes from a web page of another origin: send it from a program, or use the console")
}
