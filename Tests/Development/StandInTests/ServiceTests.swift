import DevelopmentHTTP
import JOSE
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("Apple over HTTP")
struct ServiceTests {
    private var standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private func json(_ method: String, _ path: String, _ body: String = "") throws -> JSONObject {
        let reply = try #require(standIn.reply(method, path, body))
        #expect(reply.status == "200 OK")
        return try #require(try JSONValue(parsing: reply.body).object)
    }

    @Test("tokens verify with the published keys after a rotation, but not after a turnover")
    mutating func keySet() throws {
        let token = try json("GET", "/mint")["identityToken"]
        #expect(try standIn.claims(of: token)["aud"] == .string(StandInFixture.app))
        _ = try json("POST", "/keys/rotate")
        _ = try standIn.claims(of: token)
        _ = try standIn.claims(of: try json("GET", "/mint")["identityToken"])
        try standIn.restart()
        _ = try standIn.claims(of: token)
        _ = try json("POST", "/keys/turnover")
        let keyID = try CompactJWS(try #require(token?.string)).keyID
        let keys = String(decoding: try #require(standIn.reply("GET", "/auth/keys")).body, as: UTF8.self)
        #expect(!keys.contains(try #require(keyID)))
        _ = try standIn.claims(of: try json("GET", "/mint")["identityToken"])
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
        let code = try standIn.code()
        _ = standIn.reply("GET", "/auth/keys")
        let tokens = try standIn.exchange(code)
        _ = try standIn.exchange(code)
        standIn.apple.addFault(Fault(.hang, times: 1))
        _ = standIn.reply("POST", "/auth/revoke")
        let list = try #require(try json("GET", "/requests")["requests"]?.array?.compactMap(\.object))
        #expect(list.count == 4)
        #expect(list[0] == ["method": "GET", "path": "/auth/keys", "fields": [], "status": 200])
        let fields = Set(list[1]["fields"]?.array?.compactMap(\.string) ?? [])
        #expect(fields == ["client_id", "client_secret", "grant_type", "code"])
        #expect(list[1]["client_id"] == .string(StandInFixture.app) && list[1]["grant_type"] == "authorization_code")
        #expect(list[2]["error"] == "invalid_grant" && list[2]["status"] == 400)
        #expect(list[3]["fault"] == "hang" && list[3]["status"] == nil)
        let text = JSONValue.array(list.map(JSONValue.object)).description
        for secret in [code, tokens.json?["refresh_token"]?.string] {
            #expect(!text.contains(try #require(secret)))
        }
        _ = try json("DELETE", "/requests")
        #expect(standIn.apple.requests.isEmpty)
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
        #expect(try #require(standIn.reply(method, path, body)).status.hasPrefix(status))
    }
}

@Suite("The request log of Apple")
struct RequestLogTests {
    private let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
    }

    private static let form = "application/x-www-form-urlencoded"

    @Test(
        "nothing of a body is logged, whatever its form",
        arguments: [
            #"{"sub":"bob","email":"bob@example.com","nonce":"secret-nonce"}"#, "bob@example.com=1",
            "bob@example.com=1&bob@example.com=2", "client_id=bob@example.com", "grant_type=bob@example.com",
            "client_id=bob@example.com&client_secret=secret-a.secret-b.secret-c&grant_type=secret-g&code=secret-d",
            "client_id=\(StandInFixture.app)&client_secret=secret-a.secret-b.secret-c&grant_type=x&token=secret-d",
            "client_id=\(StandInFixture.app)&client_secret=secret&token=secret-t&token_type_hint=secret-h",
            "token=bob@example.com&token=secret", "secret-%ZZ=bob@example.com", "secret-text",
        ], ["/mint", "/notify", "/faults", "/auth/token", "/auth/revoke", "/auth/keys"])
    func bodies(body: String, path: String) throws {
        _ = standIn.reply("POST", path + "?secret-query", body, type: Self.form)
        let line = try #require(standIn.logged.last)
        #expect(standIn.logged.count == 1)
        #expect(!line.contains("bob") && !line.contains("secret-"), "\(line)")
        let listed = JSONValue.array(standIn.apple.requests.map { .object($0.json) }).description
        #expect(!listed.contains("bob") && !listed.contains("secret-"), "\(listed)")
    }

    @Test("the names of known fields, a known app and a known grant type are logged")
    func known() throws {
        let body = "client_id=\(StandInFixture.app)&grant_type=refresh_token&refresh_token=r&user=u&token_type_hint=h"
        _ = standIn.reply("POST", "/auth/token", body, type: Self.form)
        let record = try #require(standIn.apple.requests.last)
        #expect(record.fields == ["client_id", "grant_type", "refresh_token", "token_type_hint"])
        #expect(record.clientID == StandInFixture.app && record.grantType == "refresh_token")
        #expect(record.reason == "client_secret is missing")
    }
}
