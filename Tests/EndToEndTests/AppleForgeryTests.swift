import FakeApple
import JSON
import Testing

@Suite("An identity token that somebody has made")
struct AppleForgeryTests {
    private static let path = "/api/auth/apple"

    @Test(
        "is refused for its reason, makes no user, and costs no more fetches than it must", arguments: ForgeryTable.all)
    func refused(_ table: ForgeryTable) throws {
        let house = try InProcessHouse { $0["APPLE_NONCE"] = "required" }
        let shop = try Workshop(house.apple, subject: "001.genuine")
        #expect(house.send(.post(Self.path, shop.body)).status == 200)
        // From here on, an unknown key may be asked for.
        house.setForward(by: .seconds(31))
        let (fetches, rows) = (house.apple.fetches, try Rows.count(in: house.database))
        for row in try table.rows(try Workshop(house.apple)) {
            let answer = house.send(.post(Self.path, row.body))
            let verdict = [answer.code, answer["reason"]?.string].compactMap { $0 }.joined(separator: " ")
            #expect(answer.status == 401, "\(row.name)")
            #expect(verdict == "invalid_apple_token " + row.reason, "\(row.name)")
        }
        #expect(try Rows.count(in: house.database) == rows)
        #expect(house.apple.fetches == fetches + table.mostFetches)
        #expect(house.send(.post(Self.path, try Workshop(house.apple).body))["isNewUser"] == true)
    }

    @Test("with a NUL it is no text that a body may hold, and costs nothing either")
    func zero() throws {
        let house = try InProcessHouse()
        let shop = try Workshop(house.apple)
        for token in [shop.token + "\0", "\0" + shop.token, shop.input + "\0." + shop.parts[2]] {
            let answer = house.send(.post(Self.path, shop.row("", "", token).body))
            #expect(answer.status == 400)
            #expect(answer.code == "invalid_request")
        }
        #expect(house.apple.fetches == 0)
    }

    @Test("there are several hundred of them")
    func many() throws {
        let shop = try Workshop(FakeAppleStand())
        let count = try ForgeryTable.all.map { try $0.rows(shop).count }.reduce(0, +)
        #expect(count > 500)
    }

    @Test(
        "an address that is none leaves the login as it is, without one",
        arguments: [
            .null, 1, 1.5, true, false, "", [], ["a@example.com"], [:], .string(String(repeating: "e", count: 3000)),
        ] as [JSONValue])
    func oddEmail(email: JSONValue) throws {
        let house = try Houses.of(.handler)
        let login = house.apple.login("001.email-\(email.description.prefix(20))") { $0.claims = ["email": email] }
        let answer = try house.send(.post(Self.path, login))
        #expect(answer.status == 200)
        #expect(answer["user"]?.object?["email"]?.isNull == true)
    }

    @Test(
        "what says nothing about who signs in is let pass",
        arguments: ["email_verified", "is_private_email", "real_user_status", "auth_time", "at_hash", "org_id", "jti"])
    func unread(claim: String) throws {
        let house = try Houses.of(.handler)
        for value in [.null, -1, 1e300, "x", [], [:], true] as [JSONValue] {
            let login = house.apple.login("001.unread") { $0.claims = [claim: value] }
            #expect(try house.send(.post(Self.path, login)).status == 200, "\(value)")
        }
    }

    @Test(
        "a key that comes with a genuine token is not looked at", arguments: ["jwk", "jku", "x5u", "x5c", "x5t", "cty"])
    func embedded(member: String) throws {
        let house = try Houses.of(.handler)
        for value in [.null, 1, "https://evil.example", [], [:]] as [JSONValue] {
            let login = house.apple.login("001.embedded") { $0.header = [member: value] }
            #expect(try house.send(.post(Self.path, login)).status == 200, "\(value)")
        }
    }
}
