import Gatehouse
import IdentityProviders
import JSON
import Testing

/// A valid notification in the form in which Apple's servers send them, and notifications that
/// differ from it in one thing.
enum TestNotification {
    static let event: JSONObject = [
        "type": "email-enabled", "sub": .string(ValidLogin.subject),
        "event_time": .integer(ValidLogin.seconds * 1000 - 5877),
        "email": "3430930@privaterelay.appleid.com", "is_private_email": "true",
    ]

    static let claims: JSONObject = [
        "iss": "https://appleid.apple.com", "aud": .string(ValidLogin.audience),
        "exp": .integer(ValidLogin.seconds + 86_400),
        "iat": .integer(ValidLogin.seconds), "jti": "yctpp1ZHaGCzaNB9PWB4DA", "events": .string(event.description),
    ]

    static let valid = withClaim("jti", claims["jti"])

    /// With another value for one claim, or without it.
    static func withClaim(_ name: String, _ value: JSONValue?) -> String {
        TestToken.make(payload: TestToken.changed(claims, [(name, value)]).description)
    }

    /// With another value for one member of its event, or without it.
    static func withEventMember(_ name: String, _ value: JSONValue?) -> String {
        withClaim("events", .string(TestToken.changed(event, [(name, value)]).description))
    }

    /// Expects that a notification is refused for this reason and at this stage.
    static func expectRefusal(
        _ text: String, _ reason: IdentityFault.Reason, _ stage: Stage = .beforeKeyLookup,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        IdentityProvidersTests.expectRefusal(reason, stage, by: .ofTests, sourceLocation) {
            $0.verify(notification: text)
        }
    }

    /// Expects that a notification is accepted, and returns its content.
    @discardableResult
    static func expectAcceptance(
        _ text: String, at now: Timestamp = ValidLogin.now, sourceLocation: SourceLocation = #_sourceLocation
    ) -> AppleNotification? {
        VerifierFixture(policy: .ofTests, isWarm: true).verify(notification: text, at: now).accepted(sourceLocation)
    }
}
