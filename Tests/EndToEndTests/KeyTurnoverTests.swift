import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Apple's keys")
struct KeyTurnoverTests {
    @Test("may be several that sign in turn: one fetch brings them all")
    func several() throws {
        let house = try InProcessHouse()
        try house.apple.turnOver(to: 4)
        for number in 0..<8 {
            #expect(house.send(.post("/api/auth/apple", house.apple.login("001.several-\(number)"))).status == 200)
        }
        #expect(house.apple.fetches == 1)
    }

    @Test("turn over completely under load from 64 clients, and no login is refused")
    func underLoad() throws {
        let house = try ServedHouse()
        func crowd(_ name: String) throws -> [String] {
            try Crowd.of(64) { number in
                let peer = try house.connect()
                return try (0..<3).map { _ in
                    let login = house.apple.login("001.\(name)-\(number)")
                    let answer = try house.send(.post("/api/auth/apple", login), over: peer)
                    return "\(answer.status) \(answer.code ?? "")"
                }
            }.flatMap { $0 }
        }
        #expect(Eventually.holds { house.apple.fetches == 1 })
        #expect(Set(try crowd("before")) == ["200 "])
        let fetches = house.apple.fetches
        let old = house.apple.keys[0]
        try house.apple.turnOver(to: 3)
        #expect(Set(try crowd("after")) == ["200 "])
        #expect(house.apple.fetches == fetches + 1)
        let late = try house.send(.post("/api/auth/apple", house.apple.login("001.late", signedBy: old)))
        #expect(late["reason"] == "unknown_key")
    }

    @Test("turn over while the key server is slow: some are told to come back, nobody that their token is bad")
    func slowly() throws {
        let house = try ServedHouse { $0["WORKERS"] = "8" }
        #expect(Eventually.holds { house.apple.fetches == 1 })
        #expect(try house.send(.post("/api/auth/apple", house.apple.login("001.before"))).status == 200)
        let old = house.apple.keys[0]
        try house.apple.turnOver()
        house.apple.misbehave(.hanging)
        let early = Atomic(0)
        let words = Background {
            let answers = try? Crowd.of(24) { number in
                let answer = try house.send(.post("/api/auth/apple", house.apple.login("001.slow-\(number)")))
                if answer.status != 200 { early.add(1, ordering: .relaxed) }
                return answer
            }
            return answers?.map { $0.status == 503 && $0.header("retry-after") != nil ? 3 : $0.status == 200 ? 2 : 4 }
                ?? []
        }
        // One fetches, three wait to the end; all others are told after a second.
        #expect(Eventually.holds { early.load(ordering: .relaxed) >= 20 })
        #expect(try house.send(.post("/api/auth/apple", house.apple.login("001.before", signedBy: old))).status == 200)
        house.apple.behave()
        let outcomes = words.result()
        #expect(outcomes.count(where: { $0 == 3 }) >= 20)
        #expect(!outcomes.contains(4))
    }

    @Test("are not fetched for each of 10 000 forged names: once in 30 seconds, and honest logins go on in between")
    func flood() throws {
        let house = try ServedHouse()
        #expect(Eventually.holds { house.apple.fetches == 1 })
        #expect(try house.send(.post("/api/auth/apple", house.apple.login("001.honest"))).status == 200)
        let fetches = house.apple.fetches
        let forger = try Forger(house.apple.forgedLogin())
        let start = ContinuousClock.now
        let refused = try Crowd.of(8) { crowd in
            let peer = try house.connect()
            return try (0..<1250).count { number in
                let forged = try house.send(.post("/api/auth/apple", forger.login("K\(crowd)-\(number)")), over: peer)
                if number % 250 == 0 {
                    let honest = house.apple.login("001.honest-\(crowd)")
                    #expect(try house.send(.post("/api/auth/apple", honest), over: peer).status == 200)
                }
                return forged.status == 401 && forged["reason"] == "unknown_key"
            }
        }
        #expect(refused.reduce(0, +) == 10_000)
        let spans = Int((ContinuousClock.now - start).components.seconds / 30) + 1
        #expect((fetches + 1...fetches + spans).contains(house.apple.fetches))
    }

    /// Makes one token into many that name other keys. Their signatures are wrong, which nobody gets to see.
    private struct Forger {
        private let body: JSONObject
        private let rest: Substring

        init(_ body: JSONObject) throws {
            self.body = body
            let token = try #require(body["identityToken"]?.string)
            rest = try token[#require(token.firstIndex(of: "."))...]
        }

        func login(_ keyID: String) -> JSONObject {
            let header: JSONObject = ["alg": "RS256", "kid": .string(keyID)]
            var login = body
            login["identityToken"] = .string(Base64URL.encode(header.bytes) + rest)
            return login
        }
    }
}
