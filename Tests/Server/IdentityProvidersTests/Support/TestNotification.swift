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
        TestToken.make(payload: changed(claims, name, value).description)
    }

    /// With another value for one member of its event, or without it.
    static func withEventMember(_ name: String, _ value: JSONValue?) -> String {
        withClaim("events", .string(changed(event, name, value).description))
    }

    private static func changed(_ object: JSONObject, _ name: String, _ value: JSONValue?) -> JSONObject {
        var object = object
        object[name] = value
        return object
    }

    /// Expects that a notification is refused for this reason and at this stage.
    static func expectRefusal(
        _ text: String, _ reason: IdentityFault.Reason, _ stage: Stage = .beforeKeyLookup,
        policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = ValidLogin.now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for isWarm in [false, true] {
            let fixture = VerifierFixture(policy: policy, isWarm: isWarm)
            let outcome = fixture.verify(notification: text, at: now)
            #expect(outcome.reason == reason, "\(outcome)", sourceLocation: sourceLocation)
            #expect(fixture.fetches == stage.fetches(whenWarm: isWarm), "keys fetched", sourceLocation: sourceLocation)
        }
    }

    /// Expects that a notification is accepted, and returns its content.
    @discardableResult
    static func expectAcceptance(
        _ text: String, policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = ValidLogin.now,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> AppleNotification? {
        switch VerifierFixture(policy: policy, isWarm: true).verify(notification: text, at: now) {
        case .success(let notification): return notification
        case .failure(let refusal):
            Issue.record("refused: \(refusal)", sourceLocation: sourceLocation)
            return nil
        }
    }
}
