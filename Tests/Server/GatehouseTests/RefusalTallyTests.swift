import Testing

@testable import Gatehouse

@Suite("The tally of refusals for the audit trail")
struct RefusalTallyTests {
    private let noon = Timestamp(seconds: 43_200)

    private func refusal(_ reason: String, from address: String = "192.0.2.1") -> AuditEntry {
        AuditEntry(
            .loginRefused, at: noon, provider: .apple, device: Device(userAgent: nil, address: address), detail: reason)
    }

    @Test("a few refusals are written at once and in order")
    func few() {
        var tally = RefusalTally(now: noon)
        for reason in ["nonce", "expired"] { tally.add(refusal(reason)) }
        #expect(tally.take(now: noon).map(\.detail) == ["nonce", "expired"])
        #expect(tally.take(now: noon).isEmpty)
    }

    @Test("equal refusals become one entry with their number")
    func equal() {
        var tally = RefusalTally(now: noon)
        for _ in 0..<1000 { tally.add(refusal("signature")) }
        tally.add(refusal("signature", from: "192.0.2.2"))
        #expect(tally.take(now: noon).map(\.count) == [1000, 1])
    }

    @Test("the number of entries is limited, but every refusal is counted")
    func flood() {
        var tally = RefusalTally(now: noon)
        var written: [AuditEntry] = []
        for second in 0..<100 {
            for number in 0..<500 { tally.add(refusal("signature", from: "\(second).\(number)")) }
            written += tally.take(now: noon + .seconds(second))
        }
        // The limit at once, and one entry for each ten seconds after that.
        #expect(written.count == 64 + 9)
        let rest = (1..<10).flatMap { tally.take(now: noon + .seconds(100_000 * $0)) }
        #expect((written + rest).map(\.count).reduce(0, +) == 50_000)
    }

    @Test("refusals of known users are written first")
    func knownFirst() {
        var tally = RefusalTally(now: noon)
        for number in 0..<100 { tally.add(refusal("nonce", from: "\(number)")) }
        var known = refusal("user_disabled")
        known.userID = UserID("user_1")
        tally.add(known)
        #expect(tally.take(now: noon).first?.userID == UserID("user_1"))
    }

    @Test("every refusal is written when the process ends")
    func end() {
        var tally = RefusalTally(now: noon)
        for number in 0..<500 { tally.add(refusal("nonce", from: "\(number)")) }
        let written = tally.take(now: noon) + tally.takeAll()
        #expect(written.map(\.count).reduce(0, +) == 500)
        #expect(tally.takeAll().isEmpty)
    }

    @Test("the remaining refusals are written later, also after the clock was set back")
    func recovers() {
        var tally = RefusalTally(now: noon)
        for number in 0..<100 { tally.add(refusal("nonce", from: "\(number)")) }
        #expect(tally.take(now: noon).count == 64)
        #expect(tally.take(now: noon - .seconds(3600)).isEmpty)
        #expect(tally.take(now: noon).count == 36)
    }
}
