import JOSE
import JSON
import TestSupport
import Testing

@testable import FakeApple

@Suite("The fake Apple over HTTP")
struct ServiceTests {
    private var stand: Stand

    init() throws {
        stand = try Stand()
    }

    private func json(_ method: String, _ path: String, _ body: String = "") throws -> JSONObject {
        let reply = try #require(stand.reply(method, path, body))
        #expect(reply.status == "200 OK")
        return try #require(try JSONValue(parsing: reply.body).object)
    }

    @Test("what is minted verifies with the published keys, through a rotation and not through a turnover")
    mutating func keySet() throws {
        stand = try Stand(hasOwnKeys: true)
        let token = try json("GET", "/mint")["identityToken"]
        #expect(try stand.claims(of: token)["aud"] == .string(Stand.app))
        _ = try json("POST", "/keys/rotate")
        _ = try stand.claims(of: token)
        _ = try stand.claims(of: try json("GET", "/mint")["identityToken"])
        try stand.restart()
        _ = try stand.claims(of: token)
        _ = try json("POST", "/keys/turnover")
        let keyID = try CompactJWS(try #require(token?.string)).keyID
        let keys = String(decoding: try #require(stand.reply("GET", "/auth/keys")).body, as: UTF8.self)
        #expect(!keys.contains(try #require(keyID)))
        _ = try stand.claims(of: try json("GET", "/mint")["identityToken"])
    }

    @Test("a login is minted to order, and its code is that of whom it is minted for")
    func order() throws {
        let login = try json("POST", "/mint", #"{"sub":"ann","claims":{"iss":"https://x.example"},"era":"2021"}"#)
        #expect(login["userIdentifier"] == "ann")
        #expect(try stand.claims(of: login["identityToken"])["iss"] == "https://x.example")
        let answer = try stand.exchange(try #require(login["authorizationCode"]?.string))
        let claims = try stand.claims(of: answer.json?["id_token"])
        #expect(claims["sub"] == "ann")
        #expect(claims["iss"] == "https://appleid.apple.com")
        #expect(claims["email_verified"] == "true")
    }

    @Test("the developer's key is made once, for this user alone, under its id")
    mutating func developerKey() throws {
        let key = try stand.developerKey()
        #expect(key.algorithm == .ES256)
        #expect(try Text.mode(of: stand.folder.file("apple/AuthKey_DEVELOPER1.p8")) == 0o600)
        try stand.restart()
        #expect(try stand.developerKey().thumbprint == key.thumbprint)
        #expect(stand.service.developer.teamID == "FAKEAPPLE1")
    }

    @Test("a developer's key of another kind is refused", arguments: [Algorithm.RS256, .EdDSA])
    func otherKeys(algorithm: Algorithm) throws {
        let pem = try #require(try SigningKey.generate(algorithm).pem)
        #expect(throws: JOSEError.self) {
            try DeveloperAccount(teamID: "T", keyID: "K", clientIDs: [], pem: pem)
        }
    }

    @Test("who asked what is listed, with everything that a test wants to count and nothing secret")
    func requests() throws {
        let code = try stand.code()
        _ = stand.reply("GET", "/auth/keys")
        let tokens = try stand.exchange(code)
        _ = try stand.exchange(code)
        stand.service.misbehave(FaultOrder(.hang, times: 1))
        _ = stand.reply("POST", "/auth/revoke")
        let list = try #require(try json("GET", "/requests")["requests"]?.array?.compactMap(\.object))
        #expect(list.count == 4)
        #expect(list[0] == ["method": "GET", "path": "/auth/keys", "fields": [], "status": 200])
        let fields = Set(list[1]["fields"]?.array?.compactMap(\.string) ?? [])
        #expect(fields == ["client_id", "client_secret", "grant_type", "code"])
        #expect(list[1]["client_id"] == .string(Stand.app) && list[1]["grant_type"] == "authorization_code")
        #expect(list[2]["error"] == "invalid_grant" && list[2]["status"] == 400)
        #expect(list[3]["fault"] == "hang" && list[3]["status"] == nil)
        let text = JSONValue.array(list.map(JSONValue.object)).description
        for secret in [code, tokens.json?["refresh_token"]?.string] {
            #expect(!text.contains(try #require(secret)))
        }
        _ = try json("DELETE", "/requests")
        #expect(stand.service.requests.isEmpty)
    }

    @Test("who has authorised what is listed")
    func authorisations() throws {
        _ = try stand.exchange(try stand.code(for: "ann"))
        #expect(
            try json("GET", "/authorisations") == [
                "authorisations": [["sub": "ann", "client_id": .string(Stand.app)]]
            ])
    }

    @Test(
        "what is not understood is refused",
        arguments: [
            ("POST", "/mint", "", "400"), ("POST", "/mint", "[]", "400"), ("POST", "/mint", #"{"x":1}"#, "400"),
            ("GET", "/", "", "404"), ("PUT", "/mint", "", "404"), ("POST", "/auth/keys", "", "404"),
            ("GET", "/auth/token", "", "404"), ("GET", "/auth/", "", "404"), ("GET", "/keys/rotate", "", "404"),
            ("POST", "/notify", "", "400"), ("POST", "/faults", "", "400"),
        ])
    func refusals(method: String, path: String, body: String, status: String) throws {
        #expect(try #require(stand.reply(method, path, body)).status.hasPrefix(status))
    }
}
