import Gatehouse
import JSON
import Testing

@testable import EventDelivery

@Suite("The document of an event")
struct EventBodyTests {
    private static let ann = UserID("user_1")
    private let noon = Timestamp(milliseconds: 1_760_000_000_000)

    private func body(_ content: UserEvent.Content, of user: UserSummary? = nil) -> String {
        let event = UserEvent(content, of: Self.ann, at: noon)
        let body = EventBody(event, user: user) { user, json in json.member("id", user.user.id.text) }
        return String(decoding: body.bytes, as: UTF8.self)
    }

    @Test(
        "has the type, the time of the change, the user, and what the type needs",
        arguments: [
            (.created(by: .apple), "user.created", #","provider":"APPLE""#),
            (.updated(["nickname", "phone"]), "user.updated", #","changed":["nickname","phone"]"#),
            (.deleted(joining: nil), "user.deleted", #","joinedUserId":null"#),
            (.deleted(joining: UserID("user_2")), "user.deleted", #","joinedUserId":"user_2""#),
            (.disabled, "user.disabled", ""), (.enabled, "user.enabled", ""),
            (.linked(.phone), "account.linked", #","provider":"PHONE""#),
            (.unlinked(.email), "account.unlinked", #","provider":"EMAIL""#),
            (
                .sessionRevoked(SessionID("sess_1"), .reuse), "session.revoked",
                #","sessionId":"sess_1","reason":"reuse""#
            ),
        ] as [(UserEvent.Content, String, String)])
    func documents(content: UserEvent.Content, type: String, members: String) {
        #expect(
            body(content)
                == #"{"type":"\#(type)","timestamp":"2025-10-09T08:53:20.000Z","data":{"userId":"user_1","user":null\#(members)}}"#
        )
    }

    @Test("has the user as they are when it is sent")
    func user() throws {
        let user = User(id: Self.ann, email: nil, nickname: nil, createdAt: noon)
        let summary = UserSummary(user: user, updatedAt: noon, lastLoginAt: nil)
        #expect(body(.disabled, of: summary).contains(#""userId":"user_1","user":{"id":"user_1"}"#))
    }
}

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
