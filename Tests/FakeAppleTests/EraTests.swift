import FakeApple
import JOSE
import JSON
import Testing

@Suite("Identity tokens over the years")
struct EraTests {
    private static let now: Int64 = 1_760_000_000
    // swift-format-ignore: NeverUseForceTry
    private static let key = try! SigningKey.generate(.RS256, keyID: "KEY0000001")

    private func claims(_ order: JSONObject) throws -> JSONObject {
        let login = Mint(key: Self.key).login(try MintOrder(order, audience: "com.example.app"), now: Self.now)
        return try CompactJWS(try #require(login["identityToken"]?.string)).claims()
    }

    @Test("in 2019 they lived for ten minutes, had flags as words, and said nothing of nonces")
    func launch() throws {
        let claims = try claims(["era": "2019"])
        #expect(claims["exp"] == .integer(Self.now + 600))
        #expect(claims["email_verified"] == "true" && claims["is_private_email"] == "true")
        #expect(claims["nonce_supported"] == nil && claims["real_user_status"] == nil)
        #expect(claims["auth_time"] != nil && claims["c_hash"] != nil)
    }

    @Test("in 2021 they said how real the person is, and nothing of an address that is nobody's secret")
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

    @Test("a transfer_sub is there where it is ordered, and nowhere else", arguments: Era.allCases)
    func transfer(era: Era) throws {
        #expect(try claims(["era": .string(era.rawValue)])["transfer_sub"] == nil)
        #expect(try claims(["era": .string(era.rawValue), "transferSub": "t"])["transfer_sub"] == "t")
    }

    @Test("a year in which nothing changed is refused", arguments: ["2020", "", "2025 "])
    func unknown(era: String) {
        #expect(throws: MintFault.self) { try claims(["era": .string(era)]) }
    }
}
