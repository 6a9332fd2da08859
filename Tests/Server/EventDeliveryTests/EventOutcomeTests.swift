import Gatehouse
import Testing

@testable import EventDelivery

@Suite("What a receiver answers")
struct EventOutcomeTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now = Timestamp(seconds: 784_111_777)

    @Test(
        "decides what becomes of an event",
        arguments: [
            (200, "accepted"), (204, "accepted"), (299, "accepted"), (301, "refused"), (307, "refused"),
            (400, "refused"), (401, "refused"), (404, "refused"), (410, "gone"), (429, "busy"), (500, "refused"),
            (502, "unreachable"), (503, "busy"), (504, "unreachable"), (100, "refused"), (600, "refused"),
        ])
    func statuses(status: Int, label: String) {
        #expect(EventOutcome(status: status, now: Self.now).label == label)
    }

    @Test(
        "may name the time of the next attempt, in seconds or as a date",
        arguments: [
            ("120", 120), ("0", 0), ("Sun, 06 Nov 1994 08:51:37 GMT", 120), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
            ("-1", nil), ("soon", nil), ("", nil), ("99999999999999999999", nil),
        ] as [(String, Int64?)])
    func retryAfter(text: String, seconds: Int64?) {
        #expect(Duration(retryAfter: text, now: Self.now)?.wholeSeconds == seconds)
    }
}
