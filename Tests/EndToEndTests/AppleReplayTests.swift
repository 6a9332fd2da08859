import FakeApple
import JOSE
import JSON
import TestSupport
import Testing

@Suite("An identity token that comes again")
struct AppleReplayTests {
    private static let path = "/api/auth/apple"

    /// A house of that world which believes a token again for that long.
    private func house(_ world: World, grace: String) throws -> any House {
        let adjust: (inout [String: String]) -> Void = { $0["APPLE_REPLAY_GRACE"] = grace }
        return switch world {
        case .handler: try InProcessHouse(adjust)
        case .fastCGI: try ServedHouse(adjust)
        case .nginx: try FrontedHouse(adjust)
        }
    }

    private func verdict(_ answer: Answer) -> String {
        "\(answer.status) " + [answer.code, answer["reason"]?.string].compactMap { $0 }.joined(separator: " ")
    }

    private let replayed = "401 invalid_apple_token replayed"
    /// The caller is signed in, and must not refresh.
    private let replayedAtLinking = "422 invalid_apple_token replayed"

    @Test("is a lost answer for as long as the grace lasts, and a replay from then on")
    func grace() throws {
        let house = try InProcessHouse()
        let login = house.apple.login("001.again")
        let first = house.send(.post(Self.path, login))
        #expect(first["isNewUser"] == true)
        house.setForward(by: .seconds(55))
        let again = house.send(.post(Self.path, login))
        #expect(again.status == 200)
        #expect(again["isNewUser"] == false)
        #expect(again.userID == first.userID)
        // Counted from the first time: nobody keeps a token alive by using it.
        house.setForward(by: .seconds(10))
        for _ in 0..<2 { #expect(verdict(house.send(.post(Self.path, login))) == replayed) }
        house.setForward(by: .seconds(3600))
        #expect(verdict(house.send(.post(Self.path, login))) == replayed)
        #expect(try house.me(first.accessToken).code == "access_token_expired")
        #expect(try house.refresh(first.refreshToken).status == 200, "a replay ends nobody's session")
    }

    @Test("opens no second session where there is no grace", arguments: World.allCases)
    func noGrace(_ world: World) throws {
        let house = try house(world, grace: "0s")
        let login = house.apple.login("001.once")
        #expect(try house.send(.post(Self.path, login)).status == 200)
        let refused = try house.send(.post(Self.path, login))
        #expect(verdict(refused) == replayed)
        #expect(try house.send(.post(Self.path, house.apple.login("001.once"))).status == 200, "another of hers")
    }

    @Test("64 times at once lets one in without a grace, all with one, and makes one user", arguments: World.allCases)
    func crowd(_ world: World) throws {
        for (grace, expected) in [("0s", 1), ("60s", 64)] {
            let house = try house(world, grace: grace)
            let answers = try house.send(.post(Self.path, house.apple.login("001.crowd")), timesAtOnce: 64)
            let good = answers.filter { $0.status == 200 }
            #expect(good.count == expected)
            #expect(good.count { $0["isNewUser"] == true } == 1)
            #expect(Set(good.map(\.userID)).count == 1)
            #expect(Set(good.map(\.refreshToken)).count == expected, "each has a session of its own")
            #expect(Set(answers.filter { $0.status != 200 }.map(verdict)) == (grace == "0s" ? [replayed] : []))
        }
    }

    @Test("is known again after a kill")
    func kill() throws {
        let house = try ServedHouse { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let login = house.apple.login("001.killed")
        #expect(try house.send(.post(Self.path, login)).status == 200)
        house.process.signal(9)
        _ = house.process.wait()
        try house.restart()
        #expect(try verdict(house.send(.post(Self.path, login))) == replayed)
        // What was a lost answer before the kill is one after it.
        house.process.signal(9)
        _ = house.process.wait()
        try house.restart { $0["APPLE_REPLAY_GRACE"] = "600s" }
        #expect(try house.send(.post(Self.path, login)).status == 200)
    }

    @Test("cannot be spelled in another way")
    func spelling() throws {
        let house = try InProcessHouse()
        let login = house.apple.login("001.spelled")
        let token = try #require(login["identityToken"]?.string)
        #expect(house.send(.post(Self.path, login)).status == 200)
        house.setForward(by: .seconds(61))
        let parts = token.split(separator: ".").map(String.init)
        let signature = try #require(Base64URL.decode(parts[2]))
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(token.last.flatMap(alphabet.firstIndex(of:)))
        var spellings = (1..<16).map { String(token.dropLast()) + String(alphabet[(last + $0) % 64]) }
        for mark in ["=", "==", "\n"] { spellings.append(token + mark) }
        spellings += [" \(token)", token.replacing("_", with: "/")]
        let zero: [UInt8] = [0]
        for bytes in [zero + signature, signature + zero, Array(signature.dropFirst())] {
            spellings.append(parts[0] + "." + parts[1] + "." + Base64URL.encode(bytes))
        }
        for spelling in spellings where spelling != token {
            let answer = house.send(.post(Self.path, ["identityToken": .string(spelling)]))
            #expect(answer.status == 401)
            #expect(["malformed", "signature"].contains(answer["reason"]?.string))
        }
        #expect(verdict(house.send(.post(Self.path, ["identityToken": .string(token)]))) == replayed)
    }

    @Test("has not been used up by a login that was refused")
    func refusedLogins() throws {
        let house = try InProcessHouse { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let login = house.apple.login("001.refused") { $0.nonce = "n-1" }
        for (member, value, reason) in [
            ("nonce", "n-2", "nonce"), ("authorizationCode", "another", "code"), ("userIdentifier", "another", "user"),
        ] as [(String, JSONValue, String)] {
            var wrong = login
            wrong[member] = value
            #expect(house.send(.post(Self.path, wrong))["reason"]?.string == reason)
        }
        #expect(house.send(.post(Self.path, login)).status == 200)
    }

    @Test("has not been used up by somebody who was not let in")
    func disabledUser() throws {
        let house = try ServedHouse { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let user = try house.send(.post(Self.path, house.apple.login("001.disabled")))
        try house.operate("users", "disable", user.userID)
        let login = house.apple.login("001.disabled")
        for _ in 0..<2 { #expect(try house.send(.post(Self.path, login)).code == "user_disabled") }
        try house.operate("users", "enable", user.userID)
        #expect(try house.send(.post(Self.path, login)).status == 200)
        #expect(try verdict(house.send(.post(Self.path, login))) == replayed)
    }

    @Test("does not bring a deleted account back, nor fill in what is empty")
    func nothingStays() throws {
        let house = try InProcessHouse()
        let login = house.apple.login("001.deleted") { $0.email = "gone@example.com" }
        let session = house.send(.post(Self.path, login))
        let bare = house.apple.login("001.bare") { $0.claims = ["email": nil] }
        let other = house.send(.post(Self.path, bare))
        var deletion = Call.get("/api/users/me", bearer: session.accessToken)
        deletion.method = "DELETE"
        #expect(house.send(deletion).status == 204)
        house.setForward(by: .seconds(61))
        let before = try Rows.count(in: house.database)
        #expect(verdict(house.send(.post(Self.path, login))) == replayed)
        var named = bare
        named["nickname"] = "Mallory"
        #expect(verdict(house.send(.post(Self.path, named))) == replayed)
        #expect(try Rows.count(in: house.database) == before)
        #expect(try house.me(other.accessToken)["nickname"]?.isNull == true)
        #expect(house.send(.post(Self.path, house.apple.login("001.deleted")))["isNewUser"] == true)
    }

    @Test("is one login; another token of the same person is another one")
    func twoTokens() throws {
        let house = try InProcessHouse { $0["APPLE_REPLAY_GRACE"] = "0s" }
        let logins = (0..<2).map { _ in house.apple.login("001.two") }
        let answers = logins.map { house.send(.post(Self.path, $0)) }
        #expect(answers.map(\.status) == [200, 200])
        #expect(Set(answers.map(\.userID)).count == 1)
        for login in logins { #expect(verdict(house.send(.post(Self.path, login))) == replayed) }
    }

    @Test("is used up by linking as by signing in, and by either for the other", arguments: World.allCases)
    func linking(_ world: World) throws {
        let house = try house(world, grace: "0s")
        let user = try house.devLogin("linking@example.com")
        let other = try house.devLogin("other@example.com")
        let login = house.apple.login("001.linked")
        func link(_ login: JSONObject, _ bearer: String) throws -> String {
            try verdict(house.send(.post("/api/users/me/accounts/apple", login, bearer: bearer)))
        }
        #expect(try link(login, user.accessToken).hasPrefix("200"))
        #expect(try link(login, user.accessToken) == replayedAtLinking)
        #expect(try verdict(house.send(.post(Self.path, login))) == replayed)
        let second = house.apple.login("001.linked")
        #expect(try link(second, other.accessToken) == "409 account_already_linked")
        #expect(try house.send(.post(Self.path, second)).userID == user.userID)
        #expect(try link(second, user.accessToken) == replayedAtLinking)
    }
}
