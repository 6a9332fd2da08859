import Gatehouse
import GatehouseTokens
import JOSE
import OpenSSL
import Testing

@Suite("Challenges")
struct ChallengeTests {
    private static let end = Timestamp(milliseconds: 1_760_000_600_123)

    private let tokens: JWTTokenService

    init() throws {
        tokens = try Sample.service()
    }

    private func service(_ secret: [UInt8], previous: [UInt8]...) throws -> JWTTokenService {
        Sample.service(
            access: try KeyRing(secret: Sample.accessSecret),
            refresh: try KeyRing(secret: secret, previous: previous))
    }

    @Test(
        "a challenge is recognised with its expiry to the millisecond, in the past or in the future",
        arguments: [Self.end, Timestamp(seconds: 0), Timestamp(milliseconds: -1), Timestamp(milliseconds: .max)])
    func roundTrip(end: Timestamp) throws {
        let challenge = tokens.challenge(expiresAt: end)
        #expect(challenge.expiresAt == end)
        #expect(tokens.readChallenge(challenge.nonce) == challenge)
        #expect(try Sample.service().readChallenge(challenge.nonce) == challenge, "by any process with the secret")
    }

    @Test("a nonce is 54 characters of base64url, and no two are the same")
    func form() {
        let nonces = (0..<1_000).map { _ in tokens.challenge(expiresAt: Self.end).nonce }
        #expect(Set(nonces).count == nonces.count)
        for nonce in nonces.prefix(20) { #expect(nonce.wholeMatch(of: /[A-Za-z0-9_-]{54}/) != nil) }
    }

    @Test("challenges of the previous secret are accepted, challenges of a removed secret are not")
    func rotation() throws {
        let old = tokens.challenge(expiresAt: Self.end)
        let during = try service(Sample.otherSecret, previous: Sample.refreshSecret)
        let new = during.challenge(expiresAt: Self.end)
        #expect(during.readChallenge(old.nonce) == old)
        #expect(during.readChallenge(new.nonce) == new)
        let after = try service(Sample.otherSecret)
        #expect(after.readChallenge(new.nonce) == new)
        #expect(after.readChallenge(old.nonce) == nil)
        #expect(tokens.readChallenge(new.nonce) == nil)
    }

    @Test("a nonce with any one character changed is not recognised")
    func everyCharacterCounts() {
        let nonce = Array(tokens.challenge(expiresAt: Self.end).nonce.utf8)
        for index in nonce.indices {
            for other in "AQgw_".utf8 where other != nonce[index] {
                var changed = nonce
                changed[index] = other
                #expect(tokens.readChallenge(String(decoding: changed, as: UTF8.self)) == nil, "character \(index)")
            }
        }
    }

    @Test("a nonce that is shorter or longer, and any other text, is not recognised")
    func otherTexts() {
        let nonce = tokens.challenge(expiresAt: Self.end).nonce
        for count in 0..<nonce.count { #expect(tokens.readChallenge(String(nonce.prefix(count))) == nil) }
        for suffix in ["A", "AAAA", "=", "==", " ", "\n", nonce] {
            #expect(tokens.readChallenge(nonce + suffix) == nil)
        }
        for text in ["nonce", String(repeating: "A", count: 54), String(repeating: "🔑", count: 54)] {
            #expect(tokens.readChallenge(text) == nil)
        }
    }

    @Test("another MAC made with the same secret is not a challenge's")
    func macPrefix() throws {
        let content = Array(try #require(Base64URL.decode(tokens.challenge(expiresAt: Self.end).nonce)).prefix(24))
        let key = HMACSHA256Key(Sample.refreshSecret)
        func nonce(_ prefix: String) -> String {
            Base64URL.encode(content + key.authenticate(Array(prefix.utf8) + content).prefix(16))
        }
        #expect(tokens.readChallenge(nonce("gatehouse challenge ")) != nil)
        for prefix in ["", "gatehouse challenge", "gatehouse key id", "Gatehouse challenge "] {
            #expect(tokens.readChallenge(nonce(prefix)) == nil)
        }
    }

    @Test("a token is not accepted as a challenge, nor a challenge as a token")
    func tokensAreNotChallenges() {
        let nonce = tokens.challenge(expiresAt: Self.end).nonce
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(nonce, now: Sample.now) }
        #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(nonce) }
        for token in [tokens.accessToken(Sample.access), tokens.refreshToken(Sample.refresh)] {
            #expect(tokens.readChallenge(token) == nil)
            #expect(token.split(separator: ".").allSatisfy { tokens.readChallenge(String($0)) == nil })
        }
    }
}
