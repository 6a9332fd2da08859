import JOSE
import JSON
import Synchronization
import TestSupport
import Testing

@Suite("Rotation of Apple's keys")
struct AppleKeyRotationTests {
    @Test("Tokens may be signed by several keys, which one fetch loads")
    func severalKeys() throws {
        let installation = try InProcessInstallation()
        try installation.apple.rotateKeys(to: 4)
        for number in 0..<8 {
            #expect(
                installation.send(.post("/api/auth/apple", installation.apple.login("001.several-\(number)"))).status
                    == 200)
        }
        #expect(installation.apple.fetches == 1)
    }

    @Test("All keys rotate under load from 64 clients, and no login is refused")
    func underLoad() throws {
        let installation = try FastCGIInstallation()
        func logIn(_ name: String) throws -> [String] {
            try Concurrently.run(64) { number in
                let peer = try installation.connect()
                return try (0..<3).map { _ in
                    let login = installation.apple.login("001.\(name)-\(number)")
                    let response = try installation.send(.post("/api/auth/apple", login), over: peer)
                    return "\(response.status) \(response.code ?? "")"
                }
            }.flatMap { $0 }
        }
        #expect(Eventually.holds { installation.apple.fetches == 1 })
        #expect(Set(try logIn("before")) == ["200 "])
        let fetches = installation.apple.fetches
        let old = installation.apple.keys[0]
        try installation.apple.rotateKeys(to: 3)
        #expect(Set(try logIn("after")) == ["200 "])
        #expect(installation.apple.fetches == fetches + 1)
        let late = try installation.send(.post("/api/auth/apple", installation.apple.login("001.late", signedBy: old)))
        #expect(late["reason"] == "unknown_key")
    }

    @Test("While the key server is slow, new keys get 503 and no token is called invalid")
    func slowKeyServer() throws {
        let installation = try FastCGIInstallation { $0["WORKERS"] = "8" }
        #expect(Eventually.holds { installation.apple.fetches == 1 })
        #expect(try installation.send(.post("/api/auth/apple", installation.apple.login("001.before"))).status == 200)
        let old = installation.apple.keys[0]
        try installation.apple.rotateKeys()
        installation.apple.setKeyServerMode(.hanging)
        let early = Atomic(0)
        let words = Background {
            let responses = try? Concurrently.run(24) { number in
                let response = try installation.send(
                    .post("/api/auth/apple", installation.apple.login("001.slow-\(number)")))
                if response.status != 200 { early.add(1, ordering: .relaxed) }
                return response
            }
            return responses?.map { $0.status == 503 && $0.header("retry-after") != nil ? 3 : $0.status == 200 ? 2 : 4 }
                ?? []
        }
        // One request fetches and three wait for it. All others get 503 after a second.
        #expect(Eventually.holds { early.load(ordering: .relaxed) >= 20 })
        #expect(
            try installation.send(.post("/api/auth/apple", installation.apple.login("001.before", signedBy: old)))
                .status == 200)
        installation.apple.resetKeyServer()
        let outcomes = words.result()
        #expect(outcomes.count(where: { $0 == 3 }) >= 20)
        #expect(!outcomes.contains(4))
    }

    @Test("Thousands of tokens with unknown keys cause one fetch per 30 seconds, and valid logins succeed")
    func unknownKeys() throws {
        let installation = try FastCGIInstallation()
        #expect(Eventually.holds { installation.apple.fetches == 1 })
        #expect(try installation.send(.post("/api/auth/apple", installation.apple.login("001.honest"))).status == 200)
        let fetches = installation.apple.fetches
        let forger = try Forger(installation.apple.forgedLogin())
        let start = ContinuousClock.now
        let count = Need.areAllMet ? 1250 : 250
        let refused = try Concurrently.run(8) { crowd in
            let peer = try installation.connect()
            return try (0..<count).count { number in
                let forged = try installation.send(
                    .post("/api/auth/apple", forger.login("K\(crowd)-\(number)")), over: peer)
                if number % 50 == 0 {
                    let honest = installation.apple.login("001.honest-\(crowd)")
                    #expect(try installation.send(.post("/api/auth/apple", honest), over: peer).status == 200)
                }
                return forged.status == 401 && forged["reason"] == "unknown_key"
            }
        }
        #expect(refused.reduce(0, +) == 8 * count)
        let spans = Int((ContinuousClock.now - start).components.seconds / 30) + 1
        #expect((fetches + 1...fetches + spans).contains(installation.apple.fetches))
    }

    /// Changes the key id of a token. The signatures are wrong, but an unknown key is refused before
    /// the signature is checked.
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
