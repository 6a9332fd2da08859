import AppleID
import Gatehouse
import JSON
import Testing

/// A notification in which nothing is wrong, in the form in which Apple's servers write them, and others in which one
/// thing is.
enum Notice {
    static let event: JSONObject = [
        "type": "email-enabled", "sub": .string(Genuine.subject), "event_time": .integer(Genuine.now * 1000 - 5877),
        "email": "3430930@privaterelay.appleid.com", "is_private_email": "true",
    ]

    static let claims: JSONObject = [
        "iss": "https://appleid.apple.com", "aud": .string(Genuine.audience), "exp": .integer(Genuine.now + 86_400),
        "iat": .integer(Genuine.now), "jti": "yctpp1ZHaGCzaNB9PWB4DA", "events": .string(event.description),
    ]

    static let genuine = claim("jti", claims["jti"])

    /// With another value for one claim, or without it.
    static func claim(_ name: String, _ value: JSONValue?) -> String {
        Forge.token(payload: changed(claims, name, value).description)
    }

    /// With another value for one member of its event, or without it.
    static func event(_ name: String, _ value: JSONValue?) -> String {
        claim("events", .string(changed(event, name, value).description))
    }

    private static func changed(_ object: JSONObject, _ name: String, _ value: JSONValue?) -> JSONObject {
        var object = object
        object[name] = value
        return object
    }

    /// Expects a notification to be refused for a reason, and at a stage.
    static func expectRefusal(
        _ text: String, _ reason: AppleTokenFault, _ stage: Stage = .beforeTheKey,
        policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = Genuine.moment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for isWarm in [false, true] {
            let desk = Desk(policy: policy, isWarm: isWarm)
            let verdict = desk.judge(notification: text, at: now)
            #expect(verdict == .failure(.appleToken(reason)), sourceLocation: sourceLocation)
            #expect(desk.fetches == stage.fetches(whenWarm: isWarm), "keys fetched", sourceLocation: sourceLocation)
        }
    }

    /// Expects a notification to be accepted, and returns what it says.
    @discardableResult
    static func expectAcceptance(
        _ text: String, policy: IdentityTokenPolicy = .ofTests, at now: Timestamp = Genuine.moment,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> AppleNotification? {
        switch Desk(policy: policy, isWarm: true).judge(notification: text, at: now) {
        case .success(let notification): return notification
        case .failure(let refusal):
            Issue.record("refused: \(refusal)", sourceLocation: sourceLocation)
            return nil
        }
    }
}
