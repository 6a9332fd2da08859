import DevelopmentHTTP
import Gatehouse
import GatehouseStore
import JSON
import POSIX
import Sockets
import StandardWebhooks
import StoreSupport
import TestSupport
import Testing

@testable import EventDelivery

@Suite("The dispatcher of events")
struct EventDispatcherTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = Timestamp(milliseconds: 1_760_000_000_000)
    private let secrets: WebhookSecrets

    init() throws {
        database = try TestDatabase()
        store = try database.store()
        secrets = try WebhookSecrets("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_cHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBw")
    }

    /// - Returns: the port of a receiver on this machine.
    private func serve(_ answer: @escaping @Sendable (HTTPRequest) -> String) throws -> UInt16 {
        let listener = try Listener.tcp(host: "127.0.0.1", port: 0)
        let port = listener.port ?? 0
        let server = HTTPServer("receiver", on: listener, advice: "use 127.0.0.1") { request in
            .reply(HTTPReply(status: answer(request), body: []))
        }
        _ = try Thread.spawn(name: "receiver") { try? server.run() }
        return port
    }

    private func receiver(_ port: UInt16, _ path: String = "/") -> EventReceiver {
        EventReceiver(name: "shop", url: "http://127.0.0.1:\(port)\(path)", secrets: secrets)
    }

    /// Runs a dispatcher while the test runs. A user signs up before it runs, but after it was made.
    private func run(_ receiver: EventReceiver, _ body: (EventDispatcher, _ end: () -> Void) throws -> Void) throws {
        let dispatcher = EventDispatcher(
            [receiver], store: store, node: "a", writing: { user, json in json.member("name", user.user.nickname) },
            // So fast that no pause of an event lasts long.
            now: { [noon, start = ContinuousClock.now] in noon + start.duration(to: .now) * 100 },
            isClockTrusted: { true }, report: { _ in })
        try signUp()
        let ended = Monitor(false)
        let thread = try Thread.spawn(name: "test") { dispatcher.run(until: ended) }
        defer {
            ended.change { $0 = true }
            thread.join()
        }
        try body(dispatcher) { ended.change { $0 = true } }
    }

    private func signUp() throws {
        let user = User(id: UserID("user_1"), email: nil, nickname: "Ada", createdAt: noon)
        let token = SessionToken(generation: 1, random: [1], issuedAt: noon, expiresAt: noon + .seconds(60), hash: [1])
        let session = Session(
            id: SessionID("sess_1"), userID: user.id, provider: .dev, clientID: "app", device: .unknown,
            createdAt: noon, token: token)
        let identity = Identity(provider: .dev, subject: "1", email: nil)
        _ = try store.record(LoginFixture(of: user, session, as: identity))
    }

    private func rename(to nickname: String) throws {
        _ = try store.update(UserID("user_1"), ProfileChange(nickname: nickname), now: noon)
    }

    @Test("Each attempt has the id of the event, a time of its own, both signatures, and the user as they are then")
    func attempts() throws {
        let requests = Shared<[HTTPRequest]>([])
        let port = try serve { [self] request in
            let isFirst = requests.change { requests in
                requests.append(request)
                return requests.count == 1
            }
            guard isFirst else { return "200 OK" }
            try? rename(to: "Eve")
            return "500 Internal Server Error"
        }
        try run(receiver(port)) { _, _ in
            #expect(Eventually.holds { requests.value.count >= 3 })
        }
        let attempts = requests.value.prefix(2)
        #expect(Set(attempts.compactMap { $0["webhook-id"] }).count == 1)
        let times = attempts.compactMap { $0["webhook-timestamp"].flatMap { Int64($0) } }
        #expect(times.count == 2 && times[0] >= noon.seconds && times[1] > times[0])
        for (attempt, time) in zip(attempts, times) {
            #expect(attempt["webhook-signature"]?.split(separator: " ").count == 2)
            #expect(throws: Never.self) { try secrets.verify(header: { attempt[$0] }, body: attempt.body, now: time) }
        }
        let names = attempts.map { String(decoding: $0.body, as: UTF8.self).contains(#"{"name":"Eve"}"#) }
        #expect(names == [false, true])
    }

    @Test("A reload changes where the next event is sent")
    func reload() throws {
        let paths = Shared<[String]>([])
        let port = try serve { request in
            paths.change { $0.append(request.path) }
            return "200 OK"
        }
        try run(receiver(port, "/old")) { (dispatcher, _) throws in
            #expect(Eventually.holds { paths.value == ["/old"] })
            dispatcher.apply([receiver(port, "/new")])
            // Until the dispatcher has looked at its settings.
            #expect(
                try Eventually.holds(every: 0.5) {
                    try rename(to: "\(paths.value.count)")
                    return paths.value.last == "/new"
                })
        }
    }

    @Test("At the end, another node may send at once, and not before the request under way has ended")
    func end() throws {
        let (isUnderWay, isFree) = (Shared(false), Shared(false))
        let port = try serve { _ in
            isUnderWay.change { $0 = true }
            _ = Eventually.holds(within: 5) { isFree.value }
            return "200 OK"
        }
        try run(receiver(port)) { (_, end) throws in
            #expect(Eventually.holds { isUnderWay.value })
            end()
            Thread.pause(for: .milliseconds(300))
            #expect(try !store.hold("shop", by: "b", for: .seconds(20)))
            isFree.change { $0 = true }
        }
        #expect(try store.hold("shop", by: "b", for: .seconds(20)))
    }
}
