import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Refresh tokens")
struct RefreshTokenTests {
    private let tokens: JWTTokenService

    init() throws {
        tokens = try Sample.service()
    }

    @Test("a refresh token names its user, session and generation, and no personal data")
    func claims() throws {
        let jws = try CompactJWS(tokens.refreshToken(Sample.refresh))
        #expect(jws.type == "rt+jwt")
        #expect(jws.algorithmName == "HS256")
        let expected: JSONObject = [
            "sub": "user_01", "sid": "sess_01", "gen": 7, "jti": .string(Base64URL.encode([1, 2, 3, 255])),
            "iat": 1_760_000_000, "exp": 1_760_003_600,
        ]
        #expect(try jws.claims() == expected)
    }

    @Test("a token that was written can be read, with the hash that the store keeps")
    func roundTrip() throws {
        let token = tokens.refreshToken(Sample.refresh)
        let expected = PresentedToken(
            sessionID: SessionID("sess_01"), userID: UserID("user_01"), generation: 7,
            random: Sample.refresh.random, issuedAt: Sample.refresh.issuedAt, expiresAt: Sample.refresh.expiresAt,
            hash: SHA256.hash(Array(token.utf8)))
        #expect(try tokens.readRefreshToken(token) == expected)
        #expect(tokens.hash(token) == expected.hash)
    }

    @Test("the random part of a token depends on the seed of its session and on its generation")
    func derivedRandom() {
        let seed = [UInt8](0..<16)
        let random = tokens.random(ofGeneration: 7, seed: seed)
        // printf '000102030405060708090a0b0c0d0e0f0000000000000007' | xxd -r -p | sha256sum | head -c 32
        #expect(Base64URL.encode(random) == "6jFaPlsLd2VcPvXzEsgPjw")
        #expect(random.count == SessionToken.randomBytes)
        #expect(tokens.random(ofGeneration: 8, seed: seed) != random)
        #expect(tokens.random(ofGeneration: 7, seed: [UInt8](1...16)) != random)
    }

    @Test("a token with a claim missing or of the wrong type is invalid", arguments: ["sub", "sid", "gen", "exp"])
    func incomplete(claim: String) throws {
        let key = try KeyRing(secret: Sample.refreshSecret).current
        var claims = try CompactJWS(tokens.refreshToken(Sample.refresh)).claims()
        for value in [nil, .null, true, ["x"], 1.5] as [JSONValue?] {
            claims[claim] = value
            let token = try Sample.signed(claims, type: "rt+jwt", by: key)
            #expect(throws: Refusal.invalidRefreshToken) { try tokens.readRefreshToken(token) }
        }
    }

    @Test("the token with a given hash is found, whichever configured secret signed it")
    func hashedAs() throws {
        let old = tokens.refreshToken(Sample.refresh)
        let rotated = Sample.service(
            access: try KeyRing(secret: Sample.accessSecret),
            refresh: try KeyRing(secret: Sample.otherSecret, previous: [Sample.refreshSecret]))
        let new = rotated.refreshToken(Sample.refresh)
        #expect(new != old)
        #expect(rotated.refreshToken(Sample.refresh, hashedAs: rotated.hash(old)) == old)
        #expect(rotated.refreshToken(Sample.refresh, hashedAs: rotated.hash(new)) == new)
        #expect(tokens.refreshToken(Sample.refresh, hashedAs: tokens.hash(new)) == nil)
        for hash in [[], [0], Array(tokens.hash(old).dropLast()), tokens.hash("another")] as [[UInt8]] {
            #expect(rotated.refreshToken(Sample.refresh, hashedAs: hash) == nil)
        }
    }
}
