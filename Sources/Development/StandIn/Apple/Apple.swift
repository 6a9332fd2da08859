package import DevelopmentHTTP
package import JSON

/// Plays Apple's servers for Sign in with Apple. Copies share their state.
package struct Apple: Party {
    package let developer: DeveloperAccount
    package let keys: PublishedKeys
    let audience: String
    let grants: GrantStore
    let transfers: TransferStore
    let faults = Faults<AppleFault>()
    let forged = ForgedAnswers()
    let log: RequestLog
    private let sender: NotificationSender
    private let clock: @Sendable () -> Int64

    init(
        folder: String?, developer: DeveloperAccount, sender: NotificationSender, log: RequestLog,
        clock: @escaping @Sendable () -> Int64
    ) throws {
        keys = try PublishedKeys(in: folder)
        grants = try GrantStore(in: folder)
        transfers = try TransferStore(in: folder)
        self.developer = developer
        audience = developer.clientIDs.first ?? MintOrder.defaultBundleID
        (self.sender, self.log, self.clock) = (sender, log, clock)
    }
}

extension Apple {
    /// The body of a login at the current time. Its code can be exchanged.
    package func login(_ order: MintOrder) -> JSONObject {
        let login = Mint(key: keys.signing).mintLogin(order, view: transfers.view, now: clock())
        grants.add(login)
        transfers.remember(login.person)
        return login.body
    }

    /// A notification in the form that Apple's servers post: `{"payload": …}`.
    package func notification(_ order: NotificationOrder) -> JSONObject {
        Mint(key: keys.signing).notification(order, view: transfers.view, now: clock())
    }

    /// Transfers the app, or changes what belongs to a transfer: the body of `POST /transfer`.
    package func transfer(_ order: JSONObject) throws { try transfers.apply(order, developer) }

    /// Makes Apple's endpoints fail in this way.
    package func addFault(_ fault: Fault<AppleFault>) { faults.add(fault) }

    package func removeFaults() { faults.clear() }

    /// The requests to paths below `/auth`, the oldest first.
    package var requests: [RequestRecord] { log.records(below: Self.path) }

    package func clearRequests() { log.clear(below: Self.path) }

    package var authorisations: [Authorisation] {
        grants.all.map { Authorisation(subject: $0.person.subject, clientID: $0.person.audience) }
    }
}

// The endpoints that control it.
extension Apple {
    func control(_ request: HTTPRequest, at path: String, now: Int64) throws -> JSONObject {
        switch (request.method, path) {
        case ("GET", "mint"): return login(MintOrder(audience: audience))
        case ("POST", "mint"): return login(try MintOrder(try request.object(), audience: audience))
        case ("POST", "notify"): return try notify(request)
        case ("GET", "faults"): return faults.json
        case ("POST", "faults"): addFault(try Fault(try request.object()))
        case ("DELETE", "faults"): removeFaults()
        case ("POST", "services"): try register(try request.object())
        case ("GET", "transfer"): return transfers.json(developer)
        case ("POST", "transfer"): try transfer(try request.object())
        case ("POST", "answers"): forged.add(try ForgedAnswer(try request.object()))
        case ("DELETE", "answers"): forged.clear()
        case ("POST", "keys/rotate"): try keys.rotate()
        case ("POST", "keys/turnover"): try keys.turnOver()
        case ("GET", "requests"): return log.list(below: Self.path)
        case ("DELETE", "requests"): clearRequests()
        case ("GET", "authorisations"): return ["authorisations": .array(authorisations.map { .object($0.json) })]
        default: throw Self.unknownPath
        }
        return [:]
    }

    private func notify(_ request: HTTPRequest) throws -> JSONObject {
        let order = try NotificationOrder(try request.object(), audience: audience)
        let notification = notification(order)
        guard let address = order.address else { return notification }
        return notification.replacing(try sender.deliver(notification, to: address))
    }

    private func register(_ json: JSONObject) throws(HTTPRefusal) {
        guard let id = json["id"]?.string, !id.isEmpty, json["redirectURIs"]?.array != nil, json.names.count == 2 else {
            throw .invalid("needed are the text id and the list redirectURIs")
        }
        developer.services.register(
            try WebClient(json, usual: WebClient(id: id, secret: ""), names: (id: "id", secret: "secret")))
    }

    private static let unknownPath = HTTPRefusal(
        "404 Not Found",
        "/auth/authorize, /auth/keys, /auth/token, /auth/revoke, \(migrationPath), /mint, /notify, /services, "
            + "/transfer, /answers, /faults, /keys/rotate, /keys/turnover, /requests, /authorisations")
}
