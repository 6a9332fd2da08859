import JOSE
import JSON
import StandIn
import Testing

private let now: Int64 = 1_760_000_000
// swift-format-ignore: NeverUseForceTry
private let mint = Mint(key: try! SigningKey.generate(.RS256, keyID: "KEY0000001"))

private func claims(_ order: MintOrder) throws -> JSONObject {
    try CompactJWS(try #require(mint.login(order, now: now)["identityToken"]?.string)).claims()
}

@Suite("Minted logins")
struct MintTests {
    @Test("every person has a code and an address of their own; the address stays the same")
    func addresses() throws {
        func address(_ subject: String?) throws -> String? {
            var order = MintOrder()
            order.subject = subject
            return try claims(order)["email"]?.string
        }
        let alike = ["ann", "bob", "a", "b", "", "1", "deadbeef.0930", "deadbeee.0930"]
        let names = alike + (0..<100).map { "user-\($0)" }
        let addresses = try names.map(address) + (0..<20).map { _ in try address(nil) }
        #expect(Set(addresses).count == addresses.count)
        for given in addresses {
            #expect(given?.wholeMatch(of: /[a-z0-9]{10}@privaterelay\.appleid\.com/) != nil)
        }
        #expect(try names.map(address) == Array(addresses.prefix(names.count)))
        let codes = (0..<8).map { _ in mint.login(MintOrder(), now: now)["authorizationCode"]?.string }
        #expect(Set(codes).count == 8)
    }
}

@Suite("Identity tokens")
struct EraTests {
    private func claims(_ order: JSONObject) throws -> JSONObject {
        try StandInTests.claims(MintOrder(order, audience: "com.example.app"))
    }

    @Test("of 2019 are valid for ten minutes, and have flags as strings and no nonce_supported")
    func launch() throws {
        let claims = try claims(["era": "2019"])
        #expect(claims["exp"] == .integer(now + 600))
        #expect(claims["email_verified"] == "true" && claims["is_private_email"] == "true")
        #expect(claims["nonce_supported"] == nil && claims["real_user_status"] == nil)
        #expect(claims["auth_time"] != nil && claims["c_hash"] != nil)
    }

    @Test("of 2021 have real_user_status, and is_private_email only for a private address")
    func words() throws {
        let hidden = try claims(["era": "2021"])
        #expect(hidden["exp"] == .integer(now + 86_400))
        #expect(hidden["email_verified"] == "true" && hidden["is_private_email"] == "true")
        #expect(hidden["nonce_supported"] == true && hidden["real_user_status"] == 2)
        let open = try claims(["era": "2021", "email": "ann@example.com"])
        #expect(open["is_private_email"] == nil)
    }

    @Test(
        "today their flags are booleans, unless ordered otherwise", arguments: [[:], ["era": "2025"]] as [JSONObject])
    func booleans(order: JSONObject) throws {
        let hidden = try claims(order)
        #expect(hidden["email_verified"] == true && hidden["is_private_email"] == true)
        #expect(hidden["nonce_supported"] == true && hidden["real_user_status"] == nil)
        var order = order
        order["email"] = "ann@example.com"
        #expect(try claims(order)["is_private_email"] == false)
    }
}
