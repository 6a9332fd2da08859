import FakeApple
import JSON
import Testing

@Suite("Whether an address is verified")
struct EmailVerifiedTests {
    private static let path = "/api/auth/apple"

    private func claims(_ email: String?, _ verified: JSONValue?) -> JSONObject {
        ["email": email.map(JSONValue.string) ?? .null, "email_verified": verified ?? .null]
    }

    private func login(_ house: any House, _ subject: String, _ email: String?, _ verified: JSONValue?) throws -> Answer
    {
        let answer = try house.send(
            .post(Self.path, house.apple.login(subject) { $0.claims = claims(email, verified) }))
        #expect(answer.status == 200)
        return answer
    }

    private func accounts(_ house: any House, _ login: Answer) throws -> [JSONValue?] {
        let answer = try house.send(.get("/api/users/me/accounts", bearer: login.accessToken))
        return answer["accounts"]?.array?.map { $0.object?["emailVerified"] } ?? []
    }

    private func verified(_ answer: Answer) -> JSONValue? { answer["user"]?.object?["emailVerified"] }

    @Test("is what Apple says, as a boolean or as a word, and not assumed", arguments: World.allCases)
    func claim(_ world: World) throws {
        let house = try Houses.of(world)
        let table: [(claim: JSONValue?, user: JSONValue, account: JSONValue)] = [
            (true, true, true), ("true", true, true), (false, false, false), ("false", false, false),
            (nil, false, .null), ("yes", false, .null), (1, false, .null),
        ]
        for (number, row) in table.enumerated() {
            let login = try login(house, "verified-\(world)-\(number)", "v\(number)-\(world)@example.com", row.claim)
            #expect(verified(login) == row.user, "\(row)")
            #expect(try house.me(login.accessToken)["emailVerified"] == row.user, "\(row)")
            #expect(try accounts(house, login) == [row.account], "\(row)")
            let export = try house.send(.get("/api/users/me/export", bearer: login.accessToken))
            #expect(export["user"]?.object?["emailVerified"] == row.user, "\(row)")
            #expect(export["accounts"]?.array?.first?.object?["emailVerified"] == row.account, "\(row)")
        }
    }

    @Test("is false where there is no address, and of a development login")
    func none() throws {
        let house = try InProcessHouse()
        #expect(verified(try login(house, "without-address", nil, true)) == false)
        let dev = try house.devLogin("dev@example.com")
        #expect(verified(dev) == false)
        #expect(try accounts(house, dev) == [.null])
    }

    @Test("follows what a later login says of the same address, and of no other one")
    func later() throws {
        let house = try InProcessHouse()
        #expect(verified(try login(house, "ann", "ann@example.com", nil)) == false)
        #expect(
            verified(try login(house, "ann", "other@example.com", true)) == false, "the user's address is the first")
        let second = try login(house, "ann", "ANN@example.com", true)
        #expect(verified(second) == true)
        #expect(verified(try login(house, "ann", "ann@example.com", nil)) == true, "Apple has said nothing else since")
        #expect(verified(try login(house, "ann", "ann@example.com", false)) == false)
        #expect(try accounts(house, try login(house, "ann", "new@example.com", nil)) == [.null], "of the new address")
    }

    @Test("is said of no address that only looks the same")
    func lookalike() throws {
        let house = try InProcessHouse()
        #expect(verified(try login(house, "kate", "kate@example.com", nil)) == false)
        // The Kelvin sign, which is a small k when it is lowered; and an e with its accent apart.
        #expect(verified(try login(house, "kate", "\u{212A}ate@example.com", true)) == false)
        #expect(verified(try login(house, "emile", "\u{E9}mile@example.com", nil)) == false)
        #expect(verified(try login(house, "emile", "e\u{301}mile@example.com", true)) == false)
    }

    @Test("is learned when an identity with the same address is linked")
    func linked() throws {
        let house = try InProcessHouse()
        for (name, expected) in [("same", true), ("else", false)] {
            let login = try house.devLogin("same@\(name).example.com")
            let body = house.apple.login(name) { $0.claims = claims("same@same.example.com", true) }
            let answer = house.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
            #expect(answer.status == 200)
            #expect(try house.me(login.accessToken)["emailVerified"] == .bool(expected))
            #expect(try accounts(house, login) == [.null, true])
        }
    }
}
