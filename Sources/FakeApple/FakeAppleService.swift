package import JSON
package import POSIX

/// A whole Apple, as far as Sign in with Apple goes: what it answers over HTTP, and the same for tests that run it within
/// their own process. Copies of it share what it remembers.
package struct FakeAppleService: Sendable {
    package let developer: DeveloperAccount
    package let keys: PublishedKeys
    let audience: String
    private let grants: GrantBook
    private let faults = Faults()
    private let log = RequestLog()
    let courier: Courier
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - folder: where the grants are kept.
    ///   - clock: the time in seconds since 1970.
    package init(
        folder: String, keys: PublishedKeys, developer: DeveloperAccount, courier: Courier = Courier(),
        clock: @escaping @Sendable () -> Int64 = { WallClock.millisecondsSince1970() / 1000 }
    ) throws {
        grants = try GrantBook(in: folder)
        self.keys = keys
        self.developer = developer
        audience = developer.clientIDs.first ?? MintOrder.defaultBundleID
        self.courier = courier
        self.clock = clock
    }

    package func server(on listener: consuming Listener, names: HostNames = HostNames()) -> HTTPServer {
        HTTPServer(listener, names: names, answer: answer)
    }

    func answer(_ request: HTTPRequest) -> HTTPAction {
        guard !request.path.hasPrefix("/auth/") else {
            let endpoints = AppleEndpoints(
                keys: keys, developer: developer, grants: grants, faults: faults, requests: log)
            return endpoints.answer(request, now: clock())
        }
        do { return .reply(.ok(try control(request))) } catch { return .reply(ControlRefusal.reply(to: error)) }
    }
}

extension FakeAppleService {
    /// The body of a login of this moment, whose code can be exchanged.
    package func login(_ order: MintOrder) -> JSONObject {
        let login = Mint(key: keys.signing).mintLogin(order, now: clock())
        grants.add(login)
        return login.body
    }

    /// What Apple's servers would post now: `{"payload": …}`.
    package func notification(_ order: NotificationOrder) -> JSONObject {
        Mint(key: keys.signing).notification(order, now: clock())
    }

    package func misbehave(_ order: FaultOrder) { faults.add(order) }

    package func behave() { faults.clear() }

    /// What was asked below `/auth`, the oldest first.
    package var requests: [RequestRecord] { log.all }

    package func forgetRequests() { log.clear() }

    package var authorisations: [Authorisation] {
        grants.all.map { Authorisation(subject: $0.person.subject, clientID: $0.person.audience) }
    }
}
