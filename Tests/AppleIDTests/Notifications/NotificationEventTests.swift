import Gatehouse
import JSON
import Testing

@Suite("The event of a notification")
struct NotificationEventTests {
    private static let text = JSONValue.string(Notice.event.description)
    private static let object = JSONValue.object(Notice.event)

    @Test(
        "it is an object, a text that holds one, or an array with one of either",
        arguments: [
            object, text, [object], [text],
        ])
    func shapes(value: JSONValue) {
        #expect(Notice.expectAcceptance(Notice.claim("events", value)) == Notice.expectAcceptance(Notice.genuine))
    }

    @Test(
        "any other shape is refused",
        arguments: [
            nil, .null, "", 1, true, [], "null", "[]", "{}", [:], [object, object], [text, text], [[object]],
            .string("[\(Notice.event)]"), .string(text.description), "{\"type\":", ["consent-revoked": object],
            .string(Notice.event.description + " {}"),
            .string("{\"type\":\"consent-revoked\",\(Notice.event.description.dropFirst())"),
        ] as [JSONValue?])
    func otherShapes(value: JSONValue?) {
        Notice.expectRefusal(Notice.claim("events", value), .malformed)
    }

    @Test(
        "its type is what Apple's documents and servers call it, and any other is let pass as such",
        arguments: [
            ("email-disabled", .emailDisabled), ("email-enabled", .emailEnabled), ("consent-revoked", .consentRevoked),
            ("account-delete", .accountDeleted), ("account-deleted", .accountDeleted), ("account-suspended", .other),
            ("", .other), ("Consent-Revoked", .other), ("consent-revo\u{212A}ed", .other), ("consent_revoked", .other),
        ] as [(String, AppleNotification.Kind)])
    func types(name: String, kind: AppleNotification.Kind) {
        #expect(Notice.expectAcceptance(Notice.event("type", .string(name)))?.kind == kind)
    }

    @Test("a type is a text", arguments: [nil, .null, 1, true, ["consent-revoked"]] as [JSONValue?])
    func noType(value: JSONValue?) {
        Notice.expectRefusal(Notice.event("type", value), .malformed)
    }

    @Test(
        "it is about somebody, unless nobody knows what it is about",
        arguments: [nil, .null, "", 1234, "001\n", .string(String(repeating: "s", count: 257))] as [JSONValue?])
    func noSubject(value: JSONValue?) throws {
        Notice.expectRefusal(Notice.event("sub", value), .malformed)
        var event = Notice.event
        (event["sub"], event["type"]) = (value, "team-event")
        let notification = try #require(Notice.expectAcceptance(Notice.claim("events", .object(event))))
        #expect(notification.kind == .other)
        #expect(notification.subject.isEmpty)
    }

    @Test("whom it is about is not told beside the event")
    func subjectOutside() throws {
        var claims = Notice.claims
        claims["sub"] = "somebody.else"
        let notification = Notice.expectAcceptance(Forge.token(payload: claims.description))
        #expect(notification?.subject == Genuine.subject)
    }

    @Test(
        "when it happened is told in seconds or in milliseconds, or else it is when it was written",
        arguments: [
            (1_508_184_845, 1_508_184_845_000), (1_508_184_845_123, 1_508_184_845_123),
            (1_508_184_845.5, 1_508_184_845_500), (0, 0), (99_999_999_999, 99_999_999_999_000),
            (100_000_000_000, 100_000_000_000), (nil, nil), (.null, nil), ("1508184845", nil), (true, nil), ([], nil),
            (1e300, nil),
        ] as [(JSONValue?, Int64?)])
    func moments(value: JSONValue?, milliseconds: Int64?) {
        let expected = milliseconds.map(Timestamp.init(milliseconds:)) ?? Genuine.moment
        #expect(Notice.expectAcceptance(Notice.event("event_time", value))?.moment == expected)
    }

    @Test("an address is taken where there is one")
    func email() {
        for value in [nil, .null, "", 1, .string(String(repeating: "a", count: 255))] as [JSONValue?] {
            let notification = Notice.expectAcceptance(Notice.event("email", value))
            #expect(notification?.subject == Genuine.subject)
            #expect(notification?.email == nil)
        }
        #expect(Notice.expectAcceptance(Notice.event("email", "a@b.c"))?.email == "a@b.c")
    }

    @Test(
        "a flag is a boolean or its name, and unknown where it is neither",
        arguments: [
            (true, true), (false, false), ("true", true), ("false", false), ("yes", nil), (1, nil), (.null, nil),
            (nil, nil),
        ] as [(JSONValue?, Bool?)])
    func flag(value: JSONValue?, expected: Bool?) throws {
        let notification = try #require(Notice.expectAcceptance(Notice.event("is_private_email", value)))
        #expect(notification.isPrivateEmail == expected)
    }
}
