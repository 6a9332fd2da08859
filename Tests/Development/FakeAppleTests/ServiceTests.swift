import DevelopmentHTTP
import JOSE
import JSON
import TestSupport
import Testing

@testable import FakeApple

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

    @Test("a login follows its order, and its code belongs to its user")
    func order() throws {
        let login = try json("POST", "/mint", #"{"sub":"ann","claims":{"iss":"https://x.example"},"era":"2021"}"#)
        #expect(login["userIdentifier"] == "ann")
        #expect(try apple.claims(of: login["identityToken"])["iss"] == "https://x.example")
        let answer = try apple.exchange(try #require(login["authorizationCode"]?.string))
        let claims = try apple.claims(of: answer.json?["id_token"])
        #expect(claims["sub"] == "ann")
        #expect(claims["iss"] == "https://appleid.apple.com")
        #expect(claims["email_verified"] == "true")
    }

    @Test("the developer's key is created once, as a private file named by its id")
    mutating func developerKey() throws {
        let key = try apple.developerKey()
        #expect(key.algorithm == .ES256)
        #expect(try Text.mode(of: apple.folder.file("apple/AuthKey_DEVELOPER1.p8")) == 0o600)
        try apple.restart()
        #expect(try apple.developerKey().thumbprint == key.thumbprint)
        #expect(apple.service.developer.teamID == "FAKEAPPLE1")
    }

    @Test("a developer's key for another algorithm is refused", arguments: [Algorithm.RS256, .EdDSA])
    func otherKeys(algorithm: Algorithm) throws {
        let pem = try #require(try SigningKey.generate(algorithm).pem)
        #expect(throws: JOSEError.self) {
            try DeveloperAccount(teamID: "T", keyID: "K", clientIDs: [], pem: pem)
        }
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

    @Test("authorisations are listed")
    func authorisations() throws {
        _ = try apple.exchange(try apple.code(for: "ann"))
        #expect(
            try json("GET", "/authorisations") == [
                "authorisations": [["sub": "ann", "client_id": .string(FakeAppleFixture.app)]]
            ])
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
