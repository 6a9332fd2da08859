import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Security events of Google")
struct GoogleEventTests {
    private let fixture: ProviderFixture

    init() throws {
        fixture = try ProviderFixture()
    }

    private func event(_ type: String, _ order: JSONObject = [:]) throws -> String {
        var order = order
        order["type"] = .string(type)
        if order["aud"] == nil { order["aud"] = .string(ProviderFixture.audience) }
        return try fixture.providers.control("/openid/google/events/mint", order)["event"]?.string ?? ""
    }

    private func send(_ event: String, to provider: String = "google") throws -> TestResponse {
        var request = TestRequest(method: "POST", path: "/api/auth/\(provider)/events")
        request.headers.append(("Content-Type", "application/secevent+jwt"))
        request.body = Array(event.utf8)
        return try fixture.server.send(request)
    }

    /// The sessions of a user who signed in by Google, and by another provider.
    private func sessions(of user: JSONValue = "ann") throws -> (google: TestResponse, acme: TestResponse) {
        let google = try fixture.logIn("google", fixture.token("google", ["sub": user]))
        #expect(try fixture.link("acme", fixture.token("acme", ["sub": user]), to: google).status == 200)
        return (google, try fixture.logIn("acme", fixture.token("acme", ["sub": user])))
    }

    private static let effects: [(type: String, reason: String?, google: Bool, acme: Bool)] = [
        ("sessions-revoked", nil, false, false), ("tokens-revoked", nil, false, true),
        ("account-disabled", "hijacking", false, false), ("account-disabled", "bulk-account", true, true),
        ("account-disabled", nil, true, true), ("account-enabled", nil, true, true),
        ("account-credential-change-required", nil, true, true), ("token-revoked", nil, true, true),
    ]

    @Test("What an event ends")
    func effect() throws {
        for (number, (type, reason, google, acme)) in Self.effects.enumerated() {
            let user = JSONValue.string("user-\(number)")
            let (byGoogle, byAcme) = try sessions(of: user)
            var order: JSONObject = ["sub": user]
            if let reason { order["reason"] = .string(reason) }
            #expect(try send(event(type, order)).status == 202, "\(type)")
            #expect(try fixture.isSignedIn(byGoogle) == google, "\(type)")
            #expect(try fixture.isSignedIn(byAcme) == acme, "\(type)")
            // The account stays: the user signs in again as the same user.
            #expect(try fixture.logIn("google", fixture.token("google", ["sub": user])).userID == byGoogle.userID)
        }
    }

    @Test("An event that arrives again, or after a newer login, ends nothing more")
    func once() throws {
        _ = try sessions()
        let same = try event("sessions-revoked", ["sub": "ann", "jti": "the same"])
        #expect(try send(same).status == 202)
        let newer = try fixture.logIn("google", fixture.token("google", ["sub": "ann"]))
        #expect(try send(same).status == 202)
        #expect(try fixture.isSignedIn(newer))
        let old = try event("sessions-revoked", ["sub": "ann", "claims": ["iat": 1_700_000_000]])
        #expect(try send(old).status == 202)
        #expect(try fixture.isSignedIn(newer))
    }

    @Test("An unknown user, an unknown type and a test of the operator are accepted")
    func unknown() throws {
        #expect(try send(event("sessions-revoked", ["sub": "stranger"])).status == 202)
        #expect(try send(event("https://schemas.example.com/invented", ["sub": "ann"])).status == 202)
        #expect(try send(event("verification", ["state": "a test"])).status == 202)
    }

    @Test("What is no event of Google's for this app is 400, and ends nothing")
    func refused() throws {
        let (byGoogle, _) = try sessions()
        let identityToken = try fixture.token("google", ["sub": "ann"])["identityToken"]?.string ?? ""
        let wrong = [
            try event("sessions-revoked", ["sub": "ann", "aud": "another app"]),
            try event("sessions-revoked", ["sub": "ann", "iss": "https://attacker.example"]),
            try event("sessions-revoked", ["sub": "ann", "header": ["kid": "unknown"]]),
            identityToken, "x.y.z", "",
        ]
        for body in wrong { expectProblem(try send(body), 400, "invalid_identity") }
        #expect(try fixture.isSignedIn(byGoogle))
        let event = try event("sessions-revoked", ["sub": "ann"])
        expectProblem(try fixture.logIn("google", ["identityToken": .string(event)]), 401, "invalid_identity")
    }

    @Test("Only a provider that sends events takes them")
    func others() throws {
        for provider in ["acme", "wechat", "apple", "unknown"] {
            let response = try send(event("sessions-revoked", ["sub": "ann"]), to: provider)
            expectProblem(response, 404, "unknown_provider")
        }
    }
}
