import DevelopmentHTTP
import JOSE
import JSON
import Testing

@testable import StandIn

@Suite("Google's security events")
struct SecurityEventTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private func event(_ order: JSONObject) throws -> CompactJWS {
        let body = try providers.order("/openid/google/events/mint", order)
        #expect(body.names == ["event"])
        return try providers.verified(body["event"], "google")
    }

    @Test("an event names its subject and its reason, and does not expire")
    func subject() throws {
        let claims = try event([
            "type": "account-disabled", "sub": "ann", "reason": "hijacking", "jti": "1", "aud": "a",
        ])
        .claims()
        #expect(
            claims == [
                "iss": "https://accounts.google.com/", "aud": "a", "iat": .integer(providers.now), "jti": "1",
                "events": [
                    "https://schemas.openid.net/secevent/risc/event-type/account-disabled": [
                        "subject": [
                            "subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": "ann",
                        ],
                        "reason": "hijacking",
                    ]
                ],
            ])
    }

    private func content(_ order: JSONObject) throws -> JSONObject? {
        try event(order).claims()["events"]?.object?.members.first?.value.object
    }

    @Test("a verification has only a state")
    func verification() throws {
        #expect(try content(["type": "verification", "state": "s", "sub": "ann"]) == ["state": "s"])
    }

    @Test("a revoked token is named by its start")
    func token() throws {
        let token = "0123456789abcdefghijk"
        #expect(
            try content(["type": "token-revoked", "token": .string(token)])?["subject"] == [
                "subject_type": "oauth_token", "token_type": "refresh_token", "token_identifier_alg": "prefix",
                "token": "0123456789abcdef",
            ])
    }

    @Test("a subject can be named by claims, and a type by its address")
    func otherForms() throws {
        let legacy = "https://accounts.google.com/risc/event/sessions-revoked"
        let order: JSONObject = [
            "type": .string(legacy), "sub": "ann", "subjectType": "id_token_claims", "email": "ann@example.com",
            "iss": "https://x.example", "claims": ["jti": nil],
        ]
        let claims = try event(order).claims()
        #expect(claims["jti"] == nil && claims["iss"] == "https://x.example")
        #expect(
            claims["events"]?.object?[legacy]?.object?["subject"] == [
                "subject_type": "id_token_claims", "iss": "https://x.example", "sub": "ann", "email": "ann@example.com",
            ])
    }
}
