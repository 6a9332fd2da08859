import StoreSupport
import Testing

@testable import Gatehouse

@Suite("What a proof is about")
struct ProofURLTests {
    @Test(
        "two spellings of one address are equal",
        arguments: [
            ("https://api.example.com/api/auth/refresh", "HTTPS://API.Example.com:443/api/auth/refresh"),
            ("https://api.example.com/a", "https://api.example.com/a?query=1#fragment"),
            ("https://api.example.com", "https://api.example.com/"),
            ("https://api.example.com?x", "https://api.example.com/"), ("http://localhost:80/a", "http://localhost/a"),
            ("https://localhost:8443/%7euser/%c3%a9", "https://localhost:8443/~user/%C3%A9"),
            ("https://[::1]:443/a", "https://[::1]/a"),
        ])
    func same(one: String, other: String) throws {
        #expect(try #require(ProofURL(one)) == #require(ProofURL(other)))
    }

    @Test(
        "other addresses differ",
        arguments: [
            "http://api.example.com/a", "https://api.example.com:8443/a", "https://api.example.com/A",
            "https://api.example.com/a/", "https://example.com/a", "https://api.example.com.evil.net/a",
            "https://api.example.com/a%2Fb", "https://api.example.com//a", "https://api.example.com/%+61",
            "https://api.example.com:443443/a",
        ])
    func different(text: String) throws {
        #expect(try #require(ProofURL(text)) != #require(ProofURL("https://api.example.com/a")))
    }

    @Test(
        "what is no absolute address of http or https is none",
        arguments: ["", "/a", "api.example.com/a", "https:/a", "https://", "https:///a", "ftp://a/b", "https://a@b/c"])
    func none(text: String) { #expect(ProofURL(text) == nil) }

    @Test("an origin has no path")
    func origin() throws {
        #expect(ProofURL.Origin("https://api.example.com/a") == nil)
        let origin = try #require(ProofURL.Origin("https://api.example.com"))
        #expect(ProofURL("http://10.0.0.1/a")?.at(origin) == ProofURL("https://api.example.com/a"))
    }

    private static let now = Timestamp(seconds: 1_760_000_000)

    private func failed(
        method: String = "POST", url: String = "https://a/b", issued: Duration = .zero, hash: [UInt8]? = nil,
        expectedHash: [UInt8]? = nil
    ) -> [DPoPFault] {
        let proof = DPoPProof(
            thumbprint: "k", id: "1", method: method, url: url, issuedAt: Self.now + issued, accessTokenHash: hash,
            nonce: nil)
        let urls = ["https://a/b", "https://c/b"].compactMap { ProofURL($0) }
        let expected = DPoPExpectation(method: "POST", urls: urls, accessTokenHash: expectedHash)
        return proof.checks(against: expected, at: Self.now).filter { !$0.passes }.map(\.fault)
    }

    @Test("method, address, time and access token are compared, each on its own")
    func checks() {
        #expect(failed() == [])
        #expect(failed(url: "https://c/b?x") == [])
        #expect(failed(method: "post") == [.method])
        #expect(failed(url: "https://d/b") == [.url])
        #expect(failed(url: "/b") == [.url])
        #expect(failed(issued: .seconds(-60)) == [] && failed(issued: .seconds(60)) == [])
        #expect(failed(issued: .milliseconds(-60_001)) == [.expired])
        #expect(failed(issued: .milliseconds(60_001)) == [.notYetValid])
        #expect(failed(hash: [1]) == [], "a hash without an access token is about nothing")
        #expect(failed(hash: [1], expectedHash: [1]) == [])
        #expect(failed(hash: [2], expectedHash: [1]) == [.accessToken])
        #expect(failed(expectedHash: [1]) == [.accessToken])
    }
}

@Suite("Used proofs")
struct UsedProofsTests {
    /// `#expect` calls no mutating methods.
    private final class Row {
        var used = UsedProofs()

        func insert(_ use: ProofUse, at now: Timestamp) -> Bool { used.insert(use, at: now) }
    }

    private static let now = Timestamp(seconds: 1_760_000_000)

    private func use(
        _ number: Int, by request: UInt8 = 1, issued: Duration = .zero, otherTime: Timestamp? = nil
    ) -> ProofUse {
        let proof = (0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 % 8 * 8)) }
        return ProofUse(
            proof: proof, request: [UInt8](repeating: request, count: 32), issuedAt: Self.now + issued,
            otherTime: otherTime)
    }

    @Test("a proof is used once, and again only by the same request")
    func once() {
        let row = Row()
        #expect(row.insert(use(1), at: Self.now))
        #expect(!row.insert(use(1, by: 2), at: Self.now + .seconds(59)))
        #expect(row.insert(use(1), at: Self.now + .seconds(1)))
        #expect(row.insert(use(2, by: 2), at: Self.now))
    }

    @Test("they are read back as they were written, and nothing is written for none")
    func bytes() {
        let row = Row()
        #expect(row.used.bytes == nil)
        for number in 1...3 { _ = row.insert(use(number, issued: .seconds(number)), at: Self.now) }
        #expect(row.used.bytes.map(UsedProofs.init(bytes:)) == row.used)
        for number in 4...100 { _ = row.insert(use(number, issued: .seconds(number / 10)), at: Self.now) }
        #expect(row.used.forgottenUntil != nil)
        #expect(row.used.bytes.map(UsedProofs.init(bytes:)) == row.used)
        #expect(UsedProofs(bytes: [1, 2, 3]) == UsedProofs())
        #expect(UsedProofs(bytes: [UInt8](repeating: 0, count: 41)) == UsedProofs())
    }

    @Test("a proof is remembered until no clock can accept it")
    func memory() {
        let row = Row()
        _ = row.insert(use(1, issued: .seconds(60)), at: Self.now)
        #expect(!row.insert(use(1, by: 2, issued: .seconds(60)), at: Self.now + .seconds(120)))
        let later = ProofUse.retention + .seconds(61)
        _ = row.insert(use(2, issued: later), at: Self.now + later)
        #expect(row.used.entries.count == 1)
    }

    @Test("while two clocks differ, a proof is remembered until it is too old by both", arguments: [200, 1000, -1000])
    func twoClocks(_ ahead: Int) {
        let row = Row()
        let memory = ProofMemory(now: Self.now + .seconds(ahead))
        // At a time by the second clock.
        func insert(_ number: Int, by request: UInt8 = 1, issued: Int, at seconds: Int) -> [Bool] {
            let use = use(number, by: request, issued: .seconds(issued), otherTime: Self.now + .seconds(seconds))
            let now = Self.now + .seconds(seconds + ahead)
            return [row.insert(use, at: now), memory.insert(use, at: now)]
        }
        // Right by one clock at first, and by the other one when that says the same time.
        let issued = max(ahead, 0)
        #expect(insert(1, issued: issued, at: 0) == [true, true])
        for seconds in stride(from: 10, to: abs(ahead), by: 90) {
            #expect(insert(1000 + seconds, issued: seconds, at: seconds) == [true, true])
        }
        #expect(insert(1, by: 2, issued: issued, at: abs(ahead)) == [false, false])
    }

    @Test("a proof that a node accepted by a wrong clock is remembered by the nodes whose clocks are right")
    func otherNode() {
        for difference in [Duration.seconds(300), .seconds(-300)] {
            let row = Row()
            #expect(row.insert(use(1, issued: difference, otherTime: Self.now), at: Self.now + difference))
            #expect(row.insert(use(2), at: Self.now + .seconds(59)))
            #expect(row.used.entries.count == 2)
            #expect(!row.insert(use(1, by: 2, issued: difference), at: Self.now + difference + .seconds(59)))
        }
    }

    @Test("a clock that is set back lets no proof be used again")
    func setBack() {
        let memory = ProofMemory(now: Self.now + .seconds(3600))
        #expect(memory.insert(use(1, issued: .seconds(3600)), at: Self.now + .seconds(3600)))
        for seconds in stride(from: 0, through: 3600, by: 400) {
            #expect(memory.insert(use(2 + seconds, issued: .seconds(seconds)), at: Self.now + .seconds(seconds)))
        }
        #expect(!memory.insert(use(1, by: 2, issued: .seconds(3600)), at: Self.now + .seconds(3600)))
    }

    @Test("proofs of a clock that was far ahead keep no others out when it is right again")
    func clockAhead() {
        let row = Row()
        let ahead = Self.now + .seconds(86_400)
        for number in 0..<UsedProofs.limit {
            #expect(row.insert(use(number, issued: .seconds(86_400) + .milliseconds(number)), at: ahead))
        }
        #expect(row.insert(use(1000), at: Self.now))
        #expect(row.used.entries.count == 1)
    }

    @Test("of more than the limit, the oldest are forgotten, and proofs as old as they are refused")
    func limit() {
        let row = Row()
        for number in 0..<UsedProofs.limit {
            #expect(row.insert(use(number, issued: .milliseconds(number)), at: Self.now))
        }
        #expect(row.insert(use(1000, issued: .seconds(1)), at: Self.now))
        #expect(row.used.entries.count == UsedProofs.limit)
        #expect(!row.insert(use(0, by: 2), at: Self.now), "the forgotten one")
        #expect(!row.insert(use(1001), at: Self.now), "another one as old")
        #expect(row.insert(use(1002, issued: .seconds(2)), at: Self.now))
        #expect((row.used.bytes ?? []).count <= 8 + UsedProofs.limit * 32)
        let later = ProofUse.retention + .seconds(3)
        #expect(row.insert(use(1003, issued: later), at: Self.now + later))
        #expect(row.used.forgottenUntil == nil)
    }

    @Test("this process remembers proofs of the guard for as long as they can be accepted")
    func process() {
        let memory = ProofMemory(now: Self.now)
        #expect(memory.insert(use(1), at: Self.now))
        let retention = Int(ProofUse.retention.components.seconds)
        for seconds in [0, 100, retention - 1, retention + 1, retention, 2 * retention] {
            #expect(!memory.insert(use(1, by: 2), at: Self.now + .seconds(seconds)), "after \(seconds) s")
        }
        #expect(memory.insert(use(1), at: Self.now + .seconds(2 * retention + 1)), "the same request")
        #expect(memory.insert(use(1, by: 2), at: Self.now + .seconds(3 * retention + 4)), "it is forgotten")
    }
}

@Suite("Refreshes of a bound session")
struct BoundSessionTests {
    private static let start = Timestamp(seconds: 1_760_000_000)

    private let store = ReplayingStore(now: start, seed: 1)
    private let auth: AuthService
    private let first: TokenPair

    init() throws {
        auth = try AuthService(
            store: store, tokens: PlainTokens(), apple: UnavailableAppleVerifier(), hasher: PlainHashes(),
            policy: .ofTests(devSecretHash: [], dpop: DPoPPolicy(origin: ProofURL.Origin("https://example.com"))),
            platform: store.platform)
        var context = RequestContext(id: "login")
        let login = DevLogin(email: "a@example.com", secret: "")
        first = try auth.logIn(login, boundBy: Self.proof("phone"), from: .unknown, in: &context).tokens
    }

    private static func proof(_ key: String, _ id: String = "1", at moment: Timestamp = start) -> SentProof {
        let text = Array("\(key) \(id) \(moment.milliseconds)".utf8)[...]
        let url = ProofURL(ProofURL.Origin.unknown, path: "/")
        return SentProof(text, method: "POST", url: url)
    }

    private func refresh(_ token: String, _ proof: SentProof?, request: String = "a") throws(Refusal) -> TokenPair {
        var context = RequestContext(id: request)
        return try auth.refresh(token, proof: proof, in: &context)
    }

    private var reason: RevokeReason? { store.session?.revokeReason }

    @Test("a proof by its key advances it, and a lost answer is given again to another proof")
    func owner() throws {
        let second = try refresh(first.refreshToken, Self.proof("phone", "2"))
        #expect(second.isBound)
        #expect(try refresh(first.refreshToken, Self.proof("phone", "3"), request: "b") == second)
        #expect(store.session?.token.generation == 2)
    }

    @Test("without a right proof it is refused and stays as it is, also with an old token")
    func none() throws {
        let second = try refresh(first.refreshToken, Self.proof("phone", "2"))
        _ = try refresh(second.refreshToken, Self.proof("phone", "3"))
        store.set(now: Self.start + .seconds(300))
        let before = store.session
        for token in [first, second].map(\.refreshToken) + [try currentToken()] {
            #expect(throws: Refusal.invalidProof(.missing)) { try refresh(token, nil) }
            #expect(throws: Refusal.invalidProof(.expired)) { try refresh(token, Self.proof("thief", "4")) }
            let malformed = SentProof([1], method: "POST", url: ProofURL(.unknown, path: "/"))
            #expect(throws: Refusal.invalidProof(.malformed)) { try refresh(token, malformed) }
        }
        #expect(store.session == before)
    }

    @Test("when it has ended, it still tells its key from another one, and writes nothing")
    func ended() throws {
        let session = try #require(store.session).ended(for: .logout, at: Self.start)
        func decide(_ key: String) -> ProofDecision {
            let use = ProofUse(proof: [1], request: [1], issuedAt: Self.start)
            return session.decide(
                on: .success(ProvenKey(thumbprint: key, use: use)), from: .unknown, at: Self.start)
        }
        guard case .ended = decide("phone") else { return #expect(Bool(false)) }
        guard case .refuse(.key) = decide("thief") else { return #expect(Bool(false)) }
    }

    @Test("a proof is used once, and again only by the same request at another node")
    func replay() throws {
        let proof = Self.proof("phone", "2")
        let second = try refresh(first.refreshToken, proof, request: "a")
        #expect(throws: Refusal.invalidProof(.replayed)) { try refresh(first.refreshToken, proof, request: "b") }
        #expect(try refresh(first.refreshToken, proof, request: "a") == second)
        #expect(reason == nil)
    }

    @Test("an old token ends it as ever, by the proof of its own key")
    func reuse() throws {
        var token = first.refreshToken
        for number in 2...3 { token = try refresh(token, Self.proof("phone", "\(number)")).refreshToken }
        let later = Self.start + .seconds(3600)
        store.set(now: later)
        #expect(throws: Refusal.refreshTokenReused) {
            try refresh(first.refreshToken, Self.proof("phone", "4", at: later))
        }
        #expect(reason == .reuse)
    }

    @Test("an unbound session ignores proofs")
    func unbound() throws {
        let store = ReplayingStore(now: Self.start, seed: 1)
        let auth = try AuthService(
            store: store, tokens: PlainTokens(), apple: UnavailableAppleVerifier(), hasher: PlainHashes(),
            policy: .ofTests(devSecretHash: []), platform: store.platform)
        let pair = try auth.logIn(DevLogin(email: "a@example.com", secret: ""), from: .unknown).tokens
        var context = RequestContext(id: "a")
        let second = try auth.refresh(pair.refreshToken, proof: Self.proof("thief"), in: &context)
        #expect(!second.isBound && store.session?.usedProofs == UsedProofs())
    }

    private func currentToken() throws -> String {
        let session = try #require(store.session)
        return PlainTokens().refreshToken(
            RefreshClaims(
                userID: session.userID, sessionID: session.id, generation: session.token.generation,
                random: session.token.random, issuedAt: session.token.issuedAt, expiresAt: session.token.expiresAt))
    }
}
