import FakeApple
import JSON
import SQLite
import Testing

/// Apple tells a person's name and address once in their life.
@Suite("The first login with Apple")
struct AppleFirstLoginTests {
    private static let path = "/api/auth/apple"

    private func logIn(
        _ house: any House, _ subject: String, _ adjust: (inout MintOrder) -> Void = { _ in }
    ) throws -> JSONObject {
        let answer = try house.send(.post(Self.path, house.apple.login(subject, adjust)))
        #expect(answer.status == 200)
        return answer["user"]?.object ?? [:]
    }

    @Test(
        "keeps the name as its owner writes it",
        arguments: [
            ("Ada", "Lovelace", "Ada Lovelace"), ("小明", "王", "王小明"), ("太郎", "山田", "山田太郎"),
            ("민준", "김", "김민준"), ("さくら", "田中", "田中さくら"), ("Ming", "王", "Ming 王"), (nil, "王", "王"),
            ("Ada", nil, "Ada"), (" Ada ", " ", "Ada"), ("Zoë", "O’Neill-Müller", "Zoë O’Neill-Müller"),
            (nil, nil, nil),
            ("", "", nil), ("👩🏽‍🚀", "王", "👩🏽‍🚀 王"),
        ] as [(String?, String?, String?)])
    func names(given: String?, family: String?, expected: String?) throws {
        let house = try Houses.of(.handler)
        let subject = "001.name-\(given ?? "-")-\(family ?? "-")"
        let user = try logIn(house, subject) { ($0.givenName, $0.familyName) = (given, family) }
        #expect(user["nickname"]?.string == expected)
        #expect(try logIn(house, subject)["nickname"]?.string == expected, "Apple says it once, we keep it")
    }

    @Test("keeps name and address for every login that has neither", arguments: World.allCases)
    func kept(_ world: World) throws {
        let house = try Houses.of(world)
        let subject = "001.kept-\(world)"
        let first = try logIn(house, subject) {
            $0.email = "kept-\(world)@example.com"
            ($0.givenName, $0.familyName) = ("小明", "王")
        }
        #expect(first["email"]?.string == "kept-\(world)@example.com")
        #expect(try logIn(house, subject) { $0.claims = ["email": nil, "email_verified": nil] } == first)
        #expect(try logIn(house, subject) { $0.claims = ["email": ""] } == first)
    }

    @Test("without name and address makes a user who gets them with a later one, each when it comes")
    func later() throws {
        let house = try Houses.of(.handler)
        let bare: JSONObject = ["email": nil]
        let empty = try logIn(house, "001.later") { $0.claims = bare }
        #expect(empty["email"]?.isNull == true)
        #expect(empty["nickname"]?.isNull == true)
        let named = try logIn(house, "001.later") {
            $0.claims = bare
            $0.givenName = "Ada"
        }
        #expect(named["nickname"] == "Ada")
        #expect(named["email"]?.isNull == true)
        let complete = try logIn(house, "001.later") { $0.email = "later@example.com" }
        #expect(complete["email"] == "later@example.com")
        #expect(complete["nickname"] == "Ada")
        #expect(complete["id"] == empty["id"])
    }

    @Test("prefers the nickname that the person chose to the name that Apple knows")
    func nickname() throws {
        let house = try Houses.of(.handler)
        var body = house.apple.login("001.chosen") { $0.givenName = "Ada" }
        body["nickname"] = "Countess"
        #expect(try house.send(.post(Self.path, body))["user"]?.object?["nickname"] == "Countess")
    }

    @Test("with a hidden address keeps the relay's, and knows it for one", arguments: Era.allCases)
    func hidden(_ era: Era) throws {
        let house = try Houses.of(.handler)
        let body = house.apple.login("001.0123456789abcdef-\(era.rawValue).0930") { $0.era = era }
        let answer = try house.send(.post(Self.path, body))
        #expect(answer["user"]?.object?["email"]?.string?.hasSuffix("@privaterelay.appleid.com") == true)
        let accounts = try house.send(.get("/api/users/me/accounts", bearer: answer.accessToken))["accounts"]?.array
        #expect(accounts?.first?.object?["isPrivateEmail"] == true)
    }

    @Test("takes an address in the body for a hint: it is nobody's email and finds nobody")
    func hint() throws {
        let house = try Houses.of(.handler)
        let known = try house.devLogin("hinted@example.com")
        var body = house.apple.login("001.hint") { $0.claims = ["email": nil] }
        body["email"] = "hinted@example.com"
        let answer = try house.send(.post(Self.path, body))
        #expect(answer["isNewUser"] == true)
        #expect(answer.userID != known.userID)
        #expect(answer["user"]?.object?["email"]?.isNull == true)
    }
}
