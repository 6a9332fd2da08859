import DevelopmentHTTP
import FakeApple
import JOSE
import JSON
import Testing

@Suite("Identity tokens")
struct EraTests {
    private static let now: Int64 = 1_760_000_000
    // swift-format-ignore: NeverUseForceTry
    private static let key = try! SigningKey.generate(.RS256, keyID: "KEY0000001")

    private func claims(_ order: JSONObject) throws -> JSONObject {
        let login = Mint(key: Self.key).login(try MintOrder(order, audience: "com.example.app"), now: Self.now)
        return try CompactJWS(try #require(login["identityToken"]?.string)).claims()
    }

    @Test("of 2019 are valid for ten minutes, and have flags as strings and no nonce_supported")
    func launch() throws {
        let claims = try claims(["era": "2019"])
        #expect(claims["exp"] == .integer(Self.now + 600))
        #expect(claims["email_verified"] == "true" && claims["is_private_email"] == "true")
        #expect(claims["nonce_supported"] == nil && claims["real_user_status"] == nil)
        #expect(claims["auth_time"] != nil && claims["c_hash"] != nil)
    }

    @Test("of 2021 have real_user_status, and is_private_email only for a private address")
    func words() throws {
        let hidden = try claims(["era": "2021"])
        #expect(hidden["exp"] == .integer(Self.now + 86_400))
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

    @Test("have a transfer_sub only if it is ordered", arguments: Era.allCases)
    func transfer(era: Era) throws {
        #expect(try claims(["era": .string(era.rawValue)])["transfer_sub"] == nil)
        #expect(try claims(["era": .string(era.rawValue), "transferSub": "t"])["transfer_sub"] == "t")
    }

    @Test("an unknown year is refused", arguments: ["2020", "", "2025 "])
    func unknown(era: String) {
        #expect(throws: HTTPRefusal.self) { try claims(["era": .string(era)]) }
    }
}
