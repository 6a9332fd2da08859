import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

@Suite("Codes and tokens")
struct TokenEndpointTests {
    private let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private func halfHash(_ text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(16)))
    }

    @Test("a code is exchanged for an access token, a refresh token and an identity token of the same user")
    func exchange() throws {
        let code = try standIn.code(for: "ann")
        let before = standIn.now
        standIn.advance(by: 10)
        let answer = try standIn.exchange(code)
        #expect(answer.status == "200 OK")
        let json = try #require(answer.json)
        #expect(json.names == ["access_token", "token_type", "expires_in", "refresh_token", "id_token"])
        #expect(json["token_type"] == "Bearer")
        #expect(json["expires_in"] == 3600)
        let claims = try standIn.claims(of: json["id_token"])
        #expect(claims["sub"] == "ann" && claims["aud"] == .string(StandInFixture.app))
        #expect(claims["iss"] == "https://appleid.apple.com")
        #expect(claims["iat"] == .integer(standIn.now) && claims["exp"] == .integer(standIn.now + 86_400))
        #expect(claims["auth_time"] == .integer(before))
        #expect(claims["at_hash"]?.string == halfHash(try #require(json["access_token"]?.string)))
        #expect(claims["c_hash"] == nil && claims["nonce"] == nil)
    }

    @Test("a code is valid for five minutes, once, for one app, and the refusals have Apple's words")
    func codeRules() throws {
        func refusal(_ code: String, app: String = StandInFixture.app) throws -> String? {
            let answer = try standIn.exchange(code, app: app)
            #expect(answer.status == "400 Bad Request" && answer.json?["error"] == "invalid_grant")
            return answer.json?["error_description"]?.string
        }
        let code = try standIn.code()
        #expect(try refusal(code, app: StandInFixture.otherApp)?.hasPrefix("client_id mismatch.") == true)
        standIn.advance(by: 299)
        #expect(try standIn.exchange(code).status == "200 OK")
        #expect(try refusal(code) == "The code has already been used.")
        let late = try standIn.code()
        standIn.advance(by: 300)
        for code in [late, "unknown"] {
            #expect(try refusal(code) == "The code has expired or has been revoked.")
        }
    }

    @Test("one of many concurrent exchanges of a code succeeds")
    func race() async throws {
        let code = try standIn.code()
        let fixture = standIn
        let statuses = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try fixture.exchange(code).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == "200 OK" } == 1)
        #expect(standIn.apple.authorisations.count == 1)
    }

    @Test("a refresh token gets new tokens repeatedly, but no other refresh token")
    func renewal() throws {
        let token = try #require(try standIn.exchange(try standIn.code()).json?["refresh_token"]?.string)
        var seen: Set<String> = []
        for _ in 0..<3 {
            standIn.advance(by: 86_400)
            let json = try #require(try standIn.renew(token).json)
            #expect(json.names == ["access_token", "token_type", "expires_in", "id_token"])
            let claims = try standIn.claims(of: json["id_token"])
            #expect(claims["sub"] == "ann")
            #expect(claims["auth_time"] == nil && claims["c_hash"] == nil)
            seen.insert(try #require(json["access_token"]?.string))
        }
        #expect(seen.count == 3)
        #expect(try standIn.renew(token, app: StandInFixture.otherApp).json?["error"] == "invalid_grant")
        #expect(try standIn.renew("unknown").json?["error"] == "invalid_grant")
    }

    @Test(
        "a missing, empty or repeated field is an invalid request",
        arguments: [
            ("token", "client_id"), ("token", "client_secret"), ("token", "grant_type"), ("token", "code"),
            ("revoke", "client_id"), ("revoke", "client_secret"), ("revoke", "token"),
        ])
    func missing(endpoint: String, field: String) throws {
        let path = "/auth/" + endpoint
        let good = [
            "client_id": StandInFixture.app, "client_secret": try standIn.secret(), "grant_type": "authorization_code",
            "code": try standIn.code(), "token": "t",
        ]
        var without = good
        without[field] = nil
        var empty = good
        empty[field] = ""
        for fields in [without, empty] {
            #expect(try standIn.post(path, fields).json?["error"] == "invalid_request")
        }
        let twice = good.map { "\($0)=\($1)" }.joined(separator: "&") + "&\(field)=x"
        #expect(try error(of: twice, at: path) == "invalid_request")
        #expect(try standIn.post(path, good).status == "200 OK")
    }

    private static let form = "application/x-www-form-urlencoded"

    private func error(of body: String, type: String? = form, at path: String = "/auth/token") throws -> JSONValue? {
        let reply = standIn.reply("POST", path, body, type: type)
        return try JSONValue(parsing: reply?.body ?? []).object?["error"]
    }

    @Test("another kind of grant is not supported", arguments: ["password", "implicit", "AUTHORIZATION_CODE"])
    func otherGrants(kind: String) throws {
        let answer = try standIn.post(
            "/auth/token",
            ["client_id": StandInFixture.app, "client_secret": try standIn.secret(), "grant_type": kind, "code": "c"])
        #expect(answer.status == "400 Bad Request")
        #expect(answer.json?["error"] == "unsupported_grant_type")
    }

    @Test(
        "only a form is taken",
        arguments: [
            ("client_id=a", nil), ("client_id=a", "application/json"), ("client_id=a", "text/plain"), ("%", form),
            ("a=%2", form), ("a=%zz", form), ("a=%ff", form), ("a=%+1", form),
        ] as [(String, String?)])
    func noForm(body: String, type: String?) throws {
        #expect(try error(of: body, type: type) == "invalid_request")
    }

    @Test("a form may have a charset and escapes")
    func tolerance() throws {
        let fields = [
            "client_id": "com%2Eexample.app", "client_secret": try standIn.secret(),
            "grant_type": "authorization%5fcode",
            "code": try standIn.code(), "state": "https%3A%2F%2Fexample.com%2F+",
        ]
        let body = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        let type = "Application/X-WWW-Form-Urlencoded; charset=UTF-8"
        #expect(standIn.reply("POST", "/auth/token", body, type: type)?.status == "200 OK")
    }
}
