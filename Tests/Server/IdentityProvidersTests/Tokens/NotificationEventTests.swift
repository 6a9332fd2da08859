import Gatehouse
import JSON
import Testing

@Suite("The event of a notification")
struct NotificationEventTests {
    private static let text = JSONValue.string(TestNotification.event.description)
    private static let object = JSONValue.object(TestNotification.event)

    @Test(
        "an event is an object, a text with an object, or an array with one of these",
        arguments: [
            object, text, [object], [text],
        ])
    func forms(value: JSONValue) {
        #expect(
            TestNotification.expectAcceptance(TestNotification.withClaim("events", value))
                == TestNotification.expectAcceptance(TestNotification.valid))
    }

    @Test(
        "any other form is refused",
        arguments: [
            nil, .null, "", 1, true, [], "null", "[]", "{}", [:], [object, object], [text, text], [[object]],
            .string("[\(TestNotification.event)]"), .string(text.description), "{\"type\":",
            ["consent-revoked": object],
            .string(TestNotification.event.description + " {}"),
            .string("{\"type\":\"consent-revoked\",\(TestNotification.event.description.dropFirst())"),
        ] as [JSONValue?])
    func otherForms(value: JSONValue?) {
        TestNotification.expectRefusal(TestNotification.withClaim("events", value), .malformed)
    }

    @Test(
        "the types that Apple documents or sends are known, and any other is accepted as unknown",
        arguments: [
            ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled), ("consent-revoked", .consentRevoked),
            ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted), ("account-suspended", .other),
            ("", .other), ("Consent-Revoked", .other), ("consent-revo\u{212A}ed", .other), ("consent_revoked", .other),
        ] as [(String, AppleNotification.Kind)])
    func types(name: String, kind: AppleNotification.Kind) {
        #expect(
            TestNotification.expectAcceptance(TestNotification.withEventMember("type", .string(name)))?.kind == kind)
    }

    @Test("a type must be a text", arguments: [nil, .null, 1, true, ["consent-revoked"]] as [JSONValue?])
    func noType(value: JSONValue?) {
        TestNotification.expectRefusal(TestNotification.withEventMember("type", value), .malformed)
    }

    @Test(
        "an event of a known type must have a valid subject",
        arguments: [nil, .null, "", 1234, "001\n", .string(String(repeating: "s", count: 257))] as [JSONValue?])
    func noSubject(value: JSONValue?) throws {
        TestNotification.expectRefusal(TestNotification.withEventMember("sub", value), .malformed)
        var event = TestNotification.event
        (event["sub"], event["type"]) = (value, "team-event")
        let notification = try #require(
            TestNotification.expectAcceptance(TestNotification.withClaim("events", .object(event))))
        #expect(notification.kind == .other)
        #expect(notification.subject.isEmpty)
    }

    @Test("a subject outside the event is ignored")
    func subjectOutside() throws {
        var claims = TestNotification.claims
        claims["sub"] = "another.user"
        let notification = TestNotification.expectAcceptance(TestToken.make(payload: claims.description))
        #expect(notification?.subject == ValidLogin.subject)
    }

    @Test(
        "event_time is in seconds or milliseconds, and defaults to iat",
        arguments: [
            (1_508_184_845, 1_508_184_845_000), (1_508_184_845_123, 1_508_184_845_123),
            (1_508_184_845.5, 1_508_184_845_500), (0, 0), (99_999_999_999, 99_999_999_999_000),
            (100_000_000_000, 100_000_000_000), (nil, nil), (.null, nil), ("1508184845", nil), (true, nil), ([], nil),
            (1e300, nil),
        ] as [(JSONValue?, Int64?)])
    func eventTimes(value: JSONValue?, milliseconds: Int64?) {
        let expected = milliseconds.map(Timestamp.init(milliseconds:)) ?? ValidLogin.now
        #expect(
            TestNotification.expectAcceptance(TestNotification.withEventMember("event_time", value))?.moment == expected
        )
    }

    @Test("an email address is used if it is valid, and a flag is a boolean or its name")
    func email() {
        for value in [nil, .null, "", 1, .string(String(repeating: "a", count: 255))] as [JSONValue?] {
            let notification = TestNotification.expectAcceptance(TestNotification.withEventMember("email", value))
            #expect(notification?.subject == ValidLogin.subject)
            #expect(notification?.email == nil)
        }
        #expect(TestNotification.expectAcceptance(TestNotification.withEventMember("email", "a@b.c"))?.email == "a@b.c")
        for (value, expected) in [
            (true, true), (false, false), ("true", true), ("false", false), ("yes", nil), (1, nil), (nil, nil),
        ] as [(JSONValue?, Bool?)] {
            let text = TestNotification.withEventMember("is_private_email", value)
            #expect(TestNotification.expectAcceptance(text)?.isPrivateEmail == expected, "\(String(describing: value))")
        }
    }
}
