import DevelopmentHTTP
import FakeApple
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Minted logins")
struct MintTests {
    private static let now: Int64 = 1_760_000_000
    // swift-format-ignore: NeverUseForceTry
    private static let key = try! SigningKey.generate(.RS256, keyID: "KEY0000001")
    private let mint = Mint(key: Self.key)

    private func token(_ order: MintOrder) throws -> CompactJWS {
        try CompactJWS(try #require(mint.login(order, now: Self.now)["identityToken"]?.string))
    }

    @Test("a login has the fields of an app, and a token with Apple's claims")
    func login() throws {
        let login = mint.login(MintOrder(audience: "com.example.app"), now: Self.now)
        #expect(login.names == ["identityToken", "authorizationCode", "userIdentifier"])
        let token = try CompactJWS(try #require(login["identityToken"]?.string))
        try token.verify(with: Self.key.verificationKey)
        #expect(token.header == ["kid": "KEY0000001", "alg": "RS256"])
        let claims = try token.claims()
        #expect(claims["iss"] == "https://appleid.apple.com")
        #expect(claims["aud"] == "com.example.app")
        #expect(claims["iat"] == .integer(Self.now))
        #expect(claims["exp"] == .integer(Self.now + 86_400))
        #expect(claims["sub"] == login["userIdentifier"])
        let code = try #require(login["authorizationCode"]?.string)
        #expect(claims["c_hash"]?.string == Base64URL.encode(Array(SHA256.hash(Array(code.utf8)).prefix(16))))
    }

    @Test("every login has a new user and a new code, unless a subject is ordered")
    func people() throws {
        let logins = (0..<8).map { _ in mint.login(MintOrder(), now: Self.now) }
        #expect(Set(logins.compactMap { $0["userIdentifier"]?.string }).count == 8)
        #expect(Set(logins.compactMap { $0["authorizationCode"]?.string }).count == 8)
        var order = MintOrder()
        order.subject = "subject-1"
        #expect(mint.login(order, now: Self.now)["userIdentifier"] == "subject-1")
    }

    @Test("every person has an address of their own, which stays the same")
    func addresses() throws {
        func address(_ subject: String?) throws -> String? {
            var order = MintOrder()
            order.subject = subject
            return try token(order).claims()["email"]?.string
        }
        let alike = ["ann", "bob", "a", "b", "", "1", "deadbeef.0930", "deadbeee.0930"]
        let names = alike + (0..<100).map { "user-\($0)" }
        let addresses = try names.map(address) + (0..<20).map { _ in try address(nil) }
        #expect(Set(addresses).count == addresses.count)
        for given in addresses {
            #expect(given?.wholeMatch(of: /[a-z0-9]{10}@privaterelay\.appleid\.com/) != nil)
        }
        #expect(try names.map(address) == Array(addresses.prefix(names.count)))
    }

    @Test("an order replaces claims and members of the header, and null removes one")
    func changes() throws {
        var order = MintOrder()
        order.claims = ["aud": ["a", "b"], "email": nil, "new": 1]
        order.header = ["alg": "none", "kid": nil, "jku": "https://x.example"]
        let token = try token(order)
        let claims = try token.claims()
        #expect(claims["aud"] == ["a", "b"])
        #expect(claims["new"] == 1)
        #expect(!claims.names.contains("email"))
        #expect(token.header == ["alg": "none", "jku": "https://x.example"])
        #expect(Self.key.verificationKey.isValid(signature: token.signature, for: token.signingInput))
    }

    @Test("nonce, name and address are where an app and Apple put them")
    func everything() throws {
        let order = try MintOrder(
            ["nonce": "n", "email": "ann@example.com", "givenName": "Ann", "sub": "ann", "aud": "com.example.web"],
            audience: "com.example.app")
        let login = mint.login(order, now: Self.now)
        #expect(login["nonce"] == "n")
        #expect(login["fullName"] == ["givenName": "Ann", "familyName": nil])
        let claims = try token(order).claims()
        #expect(claims["nonce"] == "n")
        #expect(claims["email"] == "ann@example.com")
        #expect(claims["is_private_email"] == false)
        #expect(claims["sub"] == "ann")
        #expect(claims["aud"] == "com.example.web")
    }

    @Test(
        "an invalid order is refused with the name of the member",
        arguments: [["subject": "x"], ["sub": 1], ["claims": []], ["header": "x"], ["Sub": "x"], ["nonce": nil]]
            as [JSONObject])
    func refusedOrders(order: JSONObject) {
        #expect {
            try MintOrder(order, audience: "com.example.app")
        } throws: {
            ($0 as? HTTPRefusal)?.description.hasPrefix(order.names[0] + ":") == true
        }
    }
}
