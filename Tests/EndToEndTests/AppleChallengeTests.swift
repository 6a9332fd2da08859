import FakeApple
import JSON
import OpenSSL
import TestSupport
import Testing

@Suite("A challenge for a login with Apple")
struct AppleChallengeTests {
    private static let path = "/api/auth/apple"

    private func challenge(_ house: any House) throws -> String {
        let answer = try house.send(.post("/api/auth/apple/challenge", bearer: nil))
        return try #require(answer["nonce"]?.string)
    }

    private func demanding() throws -> InProcessHouse {
        try InProcessHouse { $0["APPLE_NONCE"] = "challenge" }
    }

    /// 200, or the reason of a refusal.
    private func verdict(_ house: any House, _ login: JSONObject) throws -> String {
        let answer = try house.send(.post(Self.path, login))
        return answer["reason"]?.string ?? "\(answer.status)"
    }

    private func hexadecimal(_ text: String) -> String {
        SHA256.hash(Array(text.utf8)).map { String(0x100 + Int($0), radix: 16).dropFirst() }.joined()
    }

    @Test("is another nonce each time, for ten minutes", arguments: World.allCases)
    func answer(_ world: World) throws {
        let house = try Houses.of(world)
        let answers = try (0..<10).map { _ in try house.send(.post("/api/auth/apple/challenge", bearer: nil)) }
        for answer in answers {
            #expect(answer.status == 200)
            #expect(answer.json.names == ["nonce", "expiresIn"])
            #expect(answer["expiresIn"]?.integer == 600)
            #expect(answer.header("cache-control") == "no-store")
        }
        let nonces = answers.compactMap { $0["nonce"]?.string }
        #expect(Set(nonces).count == 10)
        for nonce in nonces { #expect(nonce.wholeMatch(of: /[A-Za-z0-9_-]{1,63}/) != nil) }
    }

    @Test("is asked for by POST alone", arguments: World.allCases)
    func method(_ world: World) throws {
        for method in ["GET", "PUT", "DELETE"] {
            var call = Call.get("/api/auth/apple/challenge")
            call.method = method
            let answer = try Houses.of(world).send(call)
            #expect(answer.status == 405)
            #expect(answer.header("allow") == "POST")
        }
    }

    @Test("serves one login, raw or hashed, and no other token", arguments: World.allCases, [true, false])
    func once(_ world: World, isHashed: Bool) throws {
        let house = try Houses.of(world)
        let nonce = try challenge(house)
        func login() -> JSONObject {
            house.apple.login("001.challenge-\(world)-\(isHashed)") {
                $0.nonce = nonce
                if isHashed { $0.claims = ["nonce": .string(hexadecimal(nonce))] }
            }
        }
        let first = login()
        #expect(try verdict(house, first) == "200")
        #expect(try verdict(house, first) == "200", "a lost answer")
        #expect(try verdict(house, login()) == "nonce")
        #expect(try verdict(house, first) == "200", "the other one has changed nothing")
    }

    @Test("is not used up by a login that was refused, and outlives no grace of its token")
    func refused() throws {
        let house = try demanding()
        let nonce = try challenge(house)
        let login = house.apple.login("001.c") { $0.nonce = nonce }
        var wrong = login
        wrong["authorizationCode"] = "another"
        #expect(try verdict(house, wrong) == "code")
        #expect(try verdict(house, house.apple.login("001.c") { $0.nonce = "another" }) == "nonce")
        #expect(try verdict(house, login) == "200")
        house.setForward(by: .seconds(61))
        #expect(try verdict(house, login) == "replayed")
    }

    @Test("64 tokens with one nonce at once: one gets in", arguments: World.allCases)
    func crowd(_ world: World) throws {
        let house = try Houses.of(world)
        let nonce = try challenge(house)
        let logins = (0..<64).map { number in
            house.apple.login("001.crowd-\(world)-\(number)") { $0.nonce = nonce }
        }
        // curl sends one body many times and not many bodies: at nginx a few at once do.
        let verdicts = try Crowd.of(world == .nginx ? 8 : 64) { try verdict(house, logins[$0]) }
        #expect(verdicts.count { $0 == "200" } == 1)
        #expect(Set(verdicts) == ["200", "nonce"])
    }

    @Test("that has expired is refused, also where none is demanded", arguments: ["optional", "required", "challenge"])
    func expired(rule: String) throws {
        let house = try InProcessHouse { $0["APPLE_NONCE"] = rule }
        let nonces = try (0..<2).map { _ in try challenge(house) }
        house.setForward(by: .seconds(595))
        #expect(try verdict(house, house.apple.login("001.e") { $0.nonce = nonces[0] }) == "200")
        house.setForward(by: .seconds(5))
        #expect(try verdict(house, house.apple.login("001.e") { $0.nonce = nonces[1] }) == "nonce")
    }

    @Test("is ours alone: no other house's, no forged one, none cut short")
    func forged() throws {
        let house = try demanding()
        let own = try challenge(house)
        let other = try challenge(InProcessHouse { $0["JWT_REFRESH_SECRET"] = Settings.refreshSecret + " not" })
        let swapped = own.reversed().map(String.init).joined()
        for nonce in [
            other, swapped, String(own.dropLast()), String(own.dropFirst()), own + "A", own + "=", own.lowercased(),
            " " + own, String(repeating: "A", count: own.count), hexadecimal(own), "own nonce", "",
        ] {
            #expect(try verdict(house, house.apple.login("001.f") { $0.nonce = nonce }) == "nonce")
        }
        #expect(try verdict(house, house.apple.login("001.f") { $0.nonce = own }) == "200")
    }

    @Test("outlives a change of the secret that marks it, as long as the one before is kept")
    func rotation() throws {
        let house = try demanding()
        let nonces = try (0..<2).map { _ in try challenge(house) }
        let next = Settings.refreshSecret + " of next year"
        try house.restart {
            $0["JWT_REFRESH_SECRET"] = next
            $0["JWT_REFRESH_SECRET_PREVIOUS"] = Settings.refreshSecret
        }
        #expect(try verdict(house, house.apple.login("001.r") { $0.nonce = nonces[0] }) == "200")
        #expect(try verdict(house, house.apple.login("001.r") { $0.nonce = nonces[0] }) == "nonce")
        try house.restart { $0["JWT_REFRESH_SECRET"] = next }
        #expect(try verdict(house, house.apple.login("001.r") { $0.nonce = nonces[1] }) == "nonce")
    }

    @Test("where it is demanded, nothing else will do")
    func demanded() throws {
        let house = try demanding()
        func attempt(_ adjust: (inout MintOrder) -> Void) throws -> String {
            try verdict(house, house.apple.login("001.d", adjust))
        }
        #expect(try attempt { _ in } == "nonce")
        #expect(try attempt { $0.nonce = "a nonce of the app's own" } == "nonce")
        #expect(try attempt { $0.claims = ["nonce_supported": false] } == "nonce")
        let nonce = try challenge(house)
        var bare = house.apple.login("001.d") { $0.claims = ["nonce_supported": false] }
        bare["nonce"] = .string(nonce)
        #expect(try verdict(house, bare) == "nonce", "the token has to carry it")
        #expect(try attempt { $0.nonce = nonce } == "200")
        // What the contract judges first is told first.
        #expect(try attempt { $0.header = ["alg": "none"] } == "algorithm")
        #expect(try attempt { $0.claims = ["aud": "another"] } == "audience")
    }

    @Test("where none is demanded, an app's own nonce will do", arguments: ["optional", "required"])
    func ownNonce(rule: String) throws {
        let house = try InProcessHouse { $0["APPLE_NONCE"] = rule }
        func login(_ adjust: (inout MintOrder) -> Void) -> JSONObject { house.apple.login("001.o", adjust) }
        for _ in 0..<2 { #expect(try verdict(house, login { $0.nonce = "the app's own" }) == "200") }
        #expect(try verdict(house, login { _ in }) == (rule == "optional" ? "200" : "nonce"))
        let unable = login { $0.claims = ["nonce_supported": false] }
        #expect(try verdict(house, unable) == (rule == "optional" ? "200" : "nonce"))
    }

    /// The thief of a token reads its `nonce` claim, but not the text that this is the hash of.
    @Test(
        "alone keeps the thief of an identity token out: the app's own hashed nonce does not",
        arguments: ["optional", "required", "challenge"])
    func stolen(rule: String) throws {
        let house = try InProcessHouse { $0["APPLE_NONCE"] = rule }
        let nonce = rule == "challenge" ? try challenge(house) : "the app's own"
        let login = house.apple.login("001.s") {
            $0.nonce = nonce
            $0.claims = ["nonce": .string(hexadecimal(nonce))]
        }
        var stolen = login
        stolen["nonce"] = .string(hexadecimal(nonce))
        #expect(try verdict(house, stolen) == (rule == "challenge" ? "nonce" : "200"))
        stolen["nonce"] = .string(try challenge(house))
        #expect(try verdict(house, stolen) == "nonce", "a challenge of the thief's own")
        #expect(try verdict(house, login) == "200")
    }

    @Test("is kept nowhere until it is used, however many are given out")
    func nothingKept() throws {
        let house = try InProcessHouse()
        _ = house.send(.post(Self.path, house.apple.login("001.k")))
        let before = try Rows.count(in: house.database)
        var last = ""
        for _ in 0..<10_000 { last = try challenge(house) }
        #expect(try Rows.count(in: house.database) == before)
        #expect(try verdict(house, house.apple.login("001.k") { $0.nonce = last }) == "200")
        let after = try Rows.count(in: house.database)
        #expect((after["redemptions"] ?? 0) - (before["redemptions"] ?? 0) == 2)
    }
}
