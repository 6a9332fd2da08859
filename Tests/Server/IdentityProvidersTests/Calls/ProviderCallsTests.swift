import Gatehouse
import POSIX
import Synchronization
import Testing

@testable import Curl
@testable import IdentityProviders

@Suite("The calls of a login")
struct ProviderCallsTests {
    private static let answer = HTTPResponse(status: 200, body: Array("{}".utf8))

    /// A clock that moves on by one second for each call, and the time that each call got.
    private final class SlowCalls: Sendable {
        private let state: Mutex<(now: MonotonicTime, timeouts: [Duration])> = Mutex((.now, []))
        let pace: Duration

        init(pace: Duration) { self.pace = pace }

        var timeouts: [Duration] { state.withLock { $0.timeouts } }

        func wait() { state.withLock { $0.now = $0.now + pace } }

        var calls: ProviderCalls {
            ProviderCalls(
                gate: CallGate(limit: 1), timeLimit: .seconds(5), now: { [self] in state.withLock { $0.now } },
                get: { [self] (_, _, timeout) throws(HTTPFault) in
                    state.withLock { state in
                        state.timeouts.append(timeout)
                        state.now = state.now + pace
                    }
                    return ProviderCallsTests.answer
                })
        }
    }

    private func makeCalls(
        _ count: Int, by slow: SlowCalls, spending spend: @escaping @Sendable () -> Void = {}
    ) throws(Refusal) {
        try slow.calls.run(
            at: ScriptedProvider.apiURL, for: .dev,
            in: Verification(now: ScriptedProvider.now, requestID: nil, codes: AnyCode { _ in spend() }),
            spending: "the-code"
        ) { (series) throws(CallFault) in
            for _ in 0..<count { _ = try series.get("/path", []) }
        }
    }

    @Test("a later call gets the time that the earlier ones have left")
    func timeLeft() throws {
        let slow = SlowCalls(pace: .seconds(2))
        try makeCalls(3, by: slow)
        #expect(slow.timeouts == [.seconds(5), .seconds(3), .seconds(1)])
    }

    @Test("no call is made without time")
    func noTime() {
        let slow = SlowCalls(pace: .milliseconds(2500))
        #expect(throws: Refusal.providerUnavailable(.dev)) { try makeCalls(3, by: slow) }
        #expect(slow.timeouts == [.seconds(5), .milliseconds(2500)])
    }

    @Test("the time begins when the code is spent, not before")
    func timeOfSpending() throws {
        let slow = SlowCalls(pace: .seconds(4))
        try makeCalls(1, by: slow) { slow.wait() }
        #expect(slow.timeouts == [.seconds(5)])
    }

    @Test("a call is announced to the worker pool as blocking work")
    func blocking() throws {
        let depth = Mutex((now: 0, sections: 0, inCall: 0))
        BlockingSection.set(
            before: { depth.withLock { $0 = ($0.now + 1, $0.sections + 1, $0.inCall) } },
            after: { depth.withLock { $0.now -= 1 } })
        defer { BlockingSection.remove() }
        let calls = ProviderCalls(
            gate: CallGate(limit: 1),
            get: { (_, _, _) throws(HTTPFault) in
                depth.withLock { $0.inCall += $0.now }
                return Self.answer
            })
        try calls.run(
            at: "", for: .dev, in: Verification(now: ScriptedProvider.now, requestID: nil, codes: AnyCode()),
            spending: nil
        ) { (series) throws(CallFault) in _ = (try series.get("/a", []), try series.get("/b", [])) }
        #expect(depth.withLock { $0 } == (0, 2, 2))
    }

    @Test("the report has the id of the request")
    func requestID() throws {
        let reports = Mutex<[String?]>([])
        let calls = ProviderCalls(
            gate: CallGate(limit: 1), get: { _, _, _ in Self.answer },
            report: { _, requestID in reports.withLock { $0.append(requestID) } })
        try calls.run(
            at: "", for: .dev, in: Verification(now: ScriptedProvider.now, requestID: "request-7", codes: AnyCode()),
            spending: nil
        ) { (_) throws(CallFault) in }
        #expect(reports.withLock { $0 } == ["request-7"])
    }

    @Test(
        "a report of a call that fails names its path, and nothing of its address",
        arguments: [
            "http://127.0.0.1:1", "http://127.0.0.1:0", "nope://127.0.0.1", "http://[::bad", "", "http://",
            "https://127.0.0.1:1", "file://", "http://127.0.0.1:1/\u{1}",
        ])
    func secrets(apiURL: String) {
        let reports = Mutex<[ProviderReport]>([])
        let calls = ProviderCalls(
            gate: CallGate(limit: 1), report: { report, _ in reports.withLock { $0.append(report) } })
        let app = WeChatApp(id: "wx-the-id", secret: "hunter2&hunter2", apiURL: apiURL)
        let provider = WeChatProvider(name: ScriptedProvider.weChat, app: app, calls: calls)
        #expect(throws: Refusal.providerUnavailable(ScriptedProvider.weChat)) {
            try provider.verify(IdentityCredential(code: "c0de"), now: ScriptedProvider.now, requestID: nil)
        }
        let text = "\(reports.withLock { $0 }) \(provider.check())"
        #expect(text.contains("/sns/oauth2/access_token: "))
        for secret in ["hunter2", "c0de", "wx-the-id", "127.0.0.1", "secret", "gatehouse-check"] {
            #expect(!text.contains(secret), "\(text)")
        }
    }
}
