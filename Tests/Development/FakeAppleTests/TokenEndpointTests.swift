import Curl
import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import POSIX
import Sockets
import Testing

@testable import FakeApple

@Suite("Codes and tokens")
struct TokenEndpointTests {
    private let apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
    }

    private func halfHash(_ text: String) -> String {
        Base64URL.encode(Array(SHA256.hash(Array(text.utf8)).prefix(16)))
    }

    @Test("a code is exchanged for an access token, a refresh token and an identity token of the same user")
    func exchange() throws {
        let code = try apple.code(for: "ann")
        let before = apple.now
        apple.advance(by: 10)
        let answer = try apple.exchange(code)
        #expect(answer.status == "200 OK")
        let json = try #require(answer.json)
        #expect(json.names == ["access_token", "token_type", "expires_in", "refresh_token", "id_token"])
        #expect(json["token_type"] == "Bearer")
        #expect(json["expires_in"] == 3600)
        let claims = try apple.claims(of: json["id_token"])
        #expect(claims["sub"] == "ann" && claims["aud"] == .string(FakeAppleFixture.app))
        #expect(claims["iss"] == "https://appleid.apple.com")
        #expect(claims["iat"] == .integer(apple.now) && claims["exp"] == .integer(apple.now + 86_400))
        #expect(claims["auth_time"] == .integer(before))
        #expect(claims["at_hash"]?.string == halfHash(try #require(json["access_token"]?.string)))
        #expect(claims["c_hash"] == nil && claims["nonce"] == nil)
    }

    @Test("a code is valid for five minutes, once, for one app")
    func codeRules() throws {
        let code = try apple.code()
        #expect(try apple.exchange(code, app: FakeAppleFixture.otherApp).json?["error"] == "invalid_grant")
        apple.advance(by: 299)
        #expect(try apple.exchange(code).status == "200 OK")
        let again = try apple.exchange(code)
        #expect(again.status == "400 Bad Request")
        #expect(again.json?["error"] == "invalid_grant")
        #expect(again.json?["error_description"]?.string?.isEmpty == false)
        let late = try apple.code()
        apple.advance(by: 300)
        #expect(try apple.exchange(late).json?["error"] == "invalid_grant")
        #expect(try apple.exchange("unknown").json?["error"] == "invalid_grant")
    }

    @Test("one of many concurrent exchanges of a code succeeds")
    func race() async throws {
        let code = try apple.code()
        let fixture = apple
        let statuses = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<16 { group.addTask { try fixture.exchange(code).status } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.count { $0 == "200 OK" } == 1)
        #expect(apple.service.authorisations.count == 1)
    }

    @Test("a refresh token gets new tokens repeatedly, but no other refresh token")
    func renewal() throws {
        let token = try #require(try apple.exchange(try apple.code()).json?["refresh_token"]?.string)
        var seen: Set<String> = []
        for _ in 0..<3 {
            apple.advance(by: 86_400)
            let json = try #require(try apple.renew(token).json)
            #expect(json.names == ["access_token", "token_type", "expires_in", "id_token"])
            let claims = try apple.claims(of: json["id_token"])
            #expect(claims["sub"] == "ann")
            #expect(claims["auth_time"] == nil && claims["c_hash"] == nil)
            seen.insert(try #require(json["access_token"]?.string))
        }
        #expect(seen.count == 3)
        #expect(try apple.renew(token, app: FakeAppleFixture.otherApp).json?["error"] == "invalid_grant")
        #expect(try apple.renew("unknown").json?["error"] == "invalid_grant")
    }

    @Test(
        "a missing, empty or repeated field is an invalid request",
        arguments: ["client_id", "client_secret", "grant_type", "code"])
    func missing(field: String) throws {
        let good = [
            "client_id": FakeAppleFixture.app, "client_secret": try apple.secret(), "grant_type": "authorization_code",
            "code": try apple.code(),
        ]
        var without = good
        without[field] = nil
        var empty = good
        empty[field] = ""
        for fields in [without, empty] {
            #expect(try apple.post("/auth/token", fields).json?["error"] == "invalid_request")
        }
        let twice = good.map { "\($0)=\($1)" }.joined(separator: "&") + "&\(field)=x"
        let reply = apple.reply("POST", "/auth/token", twice, type: "application/x-www-form-urlencoded")
        #expect(try JSONValue(parsing: reply?.body ?? []).object?["error"] == "invalid_request")
        #expect(try apple.post("/auth/token", good).status == "200 OK")
    }

    @Test("another kind of grant is not supported", arguments: ["password", "implicit", "AUTHORIZATION_CODE"])
    func otherGrants(kind: String) throws {
        let answer = try apple.post(
            "/auth/token",
            ["client_id": FakeAppleFixture.app, "client_secret": try apple.secret(), "grant_type": kind, "code": "c"])
        #expect(answer.status == "400 Bad Request")
        #expect(answer.json?["error"] == "unsupported_grant_type")
    }

    @Test(
        "only a form is taken", arguments: [nil, "application/json", "text/plain", "multipart/form-data; boundary=x"])
    func contentType(type: String?) throws {
        let reply = apple.reply("POST", "/auth/token", "client_id=a", type: type)
        #expect(try JSONValue(parsing: reply?.body ?? []).object?["error"] == "invalid_request")
    }

    @Test("a form may have a charset and escapes")
    func tolerance() throws {
        let fields = [
            "client_id": "com%2Eexample.app", "client_secret": try apple.secret(), "grant_type": "authorization%5fcode",
            "code": try apple.code(), "state": "https%3A%2F%2Fexample.com%2F+",
        ]
        let body = fields.map { "\($0)=\($1)" }.joined(separator: "&")
        let type = "Application/X-WWW-Form-Urlencoded; charset=UTF-8"
        #expect(apple.reply("POST", "/auth/token", body, type: type)?.status == "200 OK")
    }

    @Test("a body that is not a form is an invalid request", arguments: ["%", "a=%2", "a=%zz", "a=%ff", "a=%+1"])
    func noForm(body: String) throws {
        let reply = apple.reply("POST", "/auth/token", body, type: "application/x-www-form-urlencoded")
        #expect(try JSONValue(parsing: reply?.body ?? []).object?["error"] == "invalid_request")
    }

    @Test("a client that posts a form over a connection gets tokens")
    func connection() throws {
        let server = apple.service.server(on: try Listener.tcp(host: "127.0.0.1", port: 0))
        _ = try Thread.spawn(name: "fake-apple") { try? server.run() }
        let answer = try HTTPClient().post(
            "http://127.0.0.1:\(server.port)/auth/token",
            form: [
                ("grant_type", "authorization_code"), ("code", try apple.code()), ("client_id", FakeAppleFixture.app),
                ("client_secret", try apple.secret()), ("state", "https://example.com/?a=b&c=d"),
            ])
        #expect(answer.status == 200)
        #expect(try JSONValue(parsing: answer.body).object?["token_type"] == "Bearer")
    }
}
