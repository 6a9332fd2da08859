import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

@Suite("A client secret")
struct ClientSecretTests {
    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var claims: JSONObject = [:]
        var header: JSONObject = [:]
    }

    private static let now: Int64 = 1_760_000_000
    private static let halfYear: Int64 = 15_777_000

    private let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private func ask(_ path: String = "/auth/token", secret: String, app: String = StandInFixture.app) throws
        -> JSONObject?
    {
        let answer = try standIn.post(
            path,
            [
                "client_id": app, "client_secret": secret, "grant_type": "authorization_code", "code": "c",
                "token": "t",
            ])
        #expect(answer.json?["error"] == nil || answer.status == "400 Bad Request")
        return answer.json
    }

    /// A valid secret leads to the refusal of the unknown code.
    private func isGood(_ secret: String, app: String = StandInFixture.app) throws -> Bool {
        try ask(secret: secret, app: app)?["error"] == "invalid_grant"
    }

    @Test("is valid for each app of the developer")
    func good() throws {
        for app in [StandInFixture.app, StandInFixture.otherApp] {
            #expect(try isGood(try standIn.secret(for: app), app: app))
        }
        #expect(try !isGood(try standIn.secret(for: StandInFixture.app), app: StandInFixture.otherApp))
        #expect(try !isGood(try standIn.secret(for: "com.example.foreign"), app: "com.example.foreign"))
    }

    @Test(
        "may be valid for six months, and be signed by a clock that is a minute ahead",
        arguments: [
            ["exp": .integer(now + halfYear)], ["exp": .integer(now + 1)], ["iat": .integer(now + 60)],
            ["iat": .integer(now - halfYear)], ["jti": "more"],
        ] as [JSONObject])
    func edges(claims: JSONObject) throws {
        #expect(try isGood(try standIn.secret(claims: claims)))
    }

    static let mistakes = [
        Change(testDescription: "another team", claims: ["iss": "OTHERTEAM1"]),
        Change(testDescription: "no team", claims: ["iss": nil]),
        Change(testDescription: "another app", claims: ["sub": .string(StandInFixture.otherApp)]),
        Change(testDescription: "the team as subject", claims: ["sub": "FAKEAPPLE1"]),
        Change(testDescription: "another audience", claims: ["aud": "https://account.apple.com"]),
        Change(testDescription: "an audience with a slash", claims: ["aud": "https://appleid.apple.com/"]),
        Change(testDescription: "a list of audiences", claims: ["aud": ["https://appleid.apple.com"]]),
        Change(testDescription: "no audience", claims: ["aud": nil]),
        Change(testDescription: "expired", claims: ["exp": .integer(now)]),
        Change(testDescription: "no expiry", claims: ["exp": nil]),
        Change(testDescription: "expiry as a text", claims: ["exp": "1760000300"]),
        Change(testDescription: "more than six months", claims: ["exp": .integer(now + halfYear + 1)]),
        Change(testDescription: "expiry in milliseconds", claims: ["exp": .integer(now * 1000)]),
        Change(testDescription: "from the future", claims: ["iat": .integer(now + 61)]),
        Change(testDescription: "no time of issue", claims: ["iat": nil]),
        Change(testDescription: "another key id", header: ["kid": "OTHERKEY01"]),
        Change(testDescription: "no key id", header: ["kid": nil]),
        Change(testDescription: "another algorithm", header: ["alg": "HS256"]),
        Change(testDescription: "no algorithm", header: ["alg": "none"]),
    ]

    @Test("an invalid one gets invalid_client without a description, at both endpoints", arguments: mistakes)
    func wrong(change: Change) throws {
        let secret = try standIn.secret(claims: change.claims, header: change.header)
        for path in ["/auth/token", "/auth/revoke"] {
            #expect(try ask(path, secret: secret) == ["error": "invalid_client"])
        }
        #expect(standIn.apple.requests.allSatisfy { $0.error == "invalid_client" && $0.reason != nil })
    }

    @Test("signed with another key is refused")
    func otherKey() throws {
        #expect(try ask(secret: try standIn.secret(key: .generate(.ES256))) == ["error": "invalid_client"])
    }

    @Test("malformed is refused", arguments: ["x", "a.b.c", "..", "%00"])
    func nonsense(secret: String) throws {
        #expect(try ask(secret: secret) == ["error": "invalid_client"])
    }
}
