import DevelopmentHTTP
import JOSE
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("The fake Apple over HTTP")
struct ServiceTests {
    private var apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
    }

    private func json(_ method: String, _ path: String, _ body: String = "") throws -> JSONObject {
        let reply = try #require(apple.reply(method, path, body))
        #expect(reply.status == "200 OK")
        return try #require(try JSONValue(parsing: reply.body).object)
    }

    @Test("tokens verify with the published keys after a rotation, but not after a turnover")
    mutating func keySet() throws {
        apple = try FakeAppleFixture(hasOwnKeys: true)
        let token = try json("GET", "/mint")["identityToken"]
        #expect(try apple.claims(of: token)["aud"] == .string(FakeAppleFixture.app))
        _ = try json("POST", "/keys/rotate")
        _ = try apple.claims(of: token)
        _ = try apple.claims(of: try json("GET", "/mint")["identityToken"])
        try apple.restart()
        _ = try apple.claims(of: token)
        _ = try json("POST", "/keys/turnover")
        let keyID = try CompactJWS(try #require(token?.string)).keyID
        let keys = String(decoding: try #require(apple.reply("GET", "/auth/keys")).body, as: UTF8.self)
        #expect(!keys.contains(try #require(keyID)))
        _ = try apple.claims(of: try json("GET", "/mint")["identityToken"])
    }

    @Test("a developer's key for another algorithm is refused", arguments: [Algorithm.RS256, .EdDSA])
    func otherKeys(algorithm: Algorithm) throws {
        let pem = try #require(try SigningKey.generate(algorithm).pem)
        #expect(throws: JOSEError.self) {
            try DeveloperAccount(teamID: "T", keyID: "K", clientIDs: [], pem: pem)
        }
    }

    @Test("in containers it is requested by a name from --host")
    func containers() throws {
        let compose = try Text.read(Executable.root + "/deploy/docker-compose.yml")
        let proxy = try Text.read(Executable.root + "/deploy/docker/auxiliary/apple.conf")
        let name = try #require(proxy.firstMatch(of: /fake_apple http:\/\/([a-z-]+):8444;/)?.output.1)
        #expect(compose.contains("--host, \(name),"))
    }

    @Test("requests are listed without secrets")
    func requests() throws {
        let code = try apple.code()
        _ = apple.reply("GET", "/auth/keys")
        let tokens = try apple.exchange(code)
        _ = try apple.exchange(code)
        apple.service.addFault(Fault(.hang, times: 1))
        _ = apple.reply("POST", "/auth/revoke")
        let list = try #require(try json("GET", "/requests")["requests"]?.array?.compactMap(\.object))
        #expect(list.count == 4)
        #expect(list[0] == ["method": "GET", "path": "/auth/keys", "fields": [], "status": 200])
        let fields = Set(list[1]["fields"]?.array?.compactMap(\.string) ?? [])
        #expect(fields == ["client_id", "client_secret", "grant_type", "code"])
        #expect(list[1]["client_id"] == .string(FakeAppleFixture.app) && list[1]["grant_type"] == "authorization_code")
        #expect(list[2]["error"] == "invalid_grant" && list[2]["status"] == 400)
        #expect(list[3]["fault"] == "hang" && list[3]["status"] == nil)
        let text = JSONValue.array(list.map(JSONValue.object)).description
        for secret in [code, tokens.json?["refresh_token"]?.string] {
            #expect(!text.contains(try #require(secret)))
        }
        _ = try json("DELETE", "/requests")
        #expect(apple.service.requests.isEmpty)
    }

    @Test(
        "an invalid order is refused with the name of the member",
        arguments: [
            ("/faults", [:], "fault"), ("/faults", ["fault": "meteor"], "fault"),
            ("/faults", ["fault": "hang", "path": "/mint"], "path"),
            ("/faults", ["fault": "delay", "seconds": -1], "seconds"),
            ("/faults", ["fault": "delay", "seconds": 1e300], "seconds"),
            ("/faults", ["fault": "status", "status": 99], "status"),
            ("/faults", ["fault": "status", "status": "500"], "status"),
            ("/faults", ["fault": "hang", "times": 0], "times"), ("/faults", ["fault": "hang", "x": 1], "x"),
            ("/notify", ["sub": "ann"], "type"), ("/notify", ["type": "x"], "sub"),
            ("/notify", ["type": "x", "sub": "a", "shape": "xml"], "shape"),
            ("/notify", ["type": "x", "sub": "a", "time": "h"], "time"),
            ("/notify", ["type": "x", "sub": "a", "more": 1], "more"),
        ] as [(String, JSONObject, String)])
    func refusedOrders(path: String, order: JSONObject, name: String) throws {
        let reply = try #require(apple.reply("POST", path, order.description))
        #expect(reply.status == "400 Bad Request")
        #expect(try JSONValue(parsing: reply.body).object?["error"]?.string?.hasPrefix(name + ":") == true)
    }

    @Test(
        "unknown requests are refused",
        arguments: [
            (method: "POST", path: "/mint", body: "", status: "400"),
            (method: "POST", path: "/mint", body: "[]", status: "400"),
            (method: "POST", path: "/mint", body: #"{"x":1}"#, status: "400"),
            (method: "GET", path: "/", body: "", status: "404"),
            (method: "PUT", path: "/mint", body: "", status: "404"),
            (method: "POST", path: "/auth/keys", body: "", status: "404"),
            (method: "GET", path: "/auth/token", body: "", status: "404"),
            (method: "GET", path: "/auth/", body: "", status: "404"),
            (method: "GET", path: "/keys/rotate", body: "", status: "404"),
            (method: "POST", path: "/notify", body: "", status: "400"),
            (method: "POST", path: "/faults", body: "", status: "400"),
        ])
    func refusals(method: String, path: String, body: String, status: String) throws {
        #expect(try #require(apple.reply(method, path, body)).status.hasPrefix(status))
    }
}

@Suite("The request log of the fake Apple")
struct RequestLogTests {
    private let apple: FakeAppleFixture

    init() throws {
        apple = try FakeAppleFixture()
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "nothing of a body is logged, whatever its form",
        arguments: [
            #"{"sub":"bob","email":"bob@example.com","nonce":"secret-nonce"}"#, "bob@example.com=1",
            "bob@example.com=1&bob@example.com=2", "client_id=bob@example.com", "grant_type=bob@example.com",
            "client_id=bob@example.com&client_secret=secret-a.secret-b.secret-c&grant_type=secret-g&code=secret-d",
            "client_id=\(FakeAppleFixture.app)&client_secret=secret-a.secret-b.secret-c&grant_type=x&token=secret-d",
            "client_id=\(FakeAppleFixture.app)&client_secret=secret&token=secret-t&token_type_hint=secret-h",
            "token=bob@example.com&token=secret", "secret-%ZZ=bob@example.com", "secret-text",
        ], ["/mint", "/notify", "/faults", "/auth/token", "/auth/revoke", "/auth/keys"])
    func bodies(body: String, path: String) throws {
        _ = apple.reply("POST", path + "?secret-query", body, type: Self.form)
        let line = try #require(apple.logged.last)
        #expect(apple.logged.count == 1)
        #expect(!line.contains("bob") && !line.contains("secret-"), "\(line)")
        let listed = JSONValue.array(apple.service.requests.map { .object($0.json) }).description
        #expect(!listed.contains("bob") && !listed.contains("secret-"), "\(listed)")
    }

    @Test("the names of known fields, a known app and a known grant type are logged")
    func known() throws {
        let body = "client_id=\(FakeAppleFixture.app)&grant_type=refresh_token&refresh_token=r&user=u&token_type_hint=h"
        _ = apple.reply("POST", "/auth/token", body, type: Self.form)
        let record = try #require(apple.service.requests.last)
        #expect(record.fields == ["client_id", "grant_type", "refresh_token", "token_type_hint"])
        #expect(record.clientID == FakeAppleFixture.app && record.grantType == "refresh_token")
        #expect(record.reason == "client_secret is missing")
    }
}
