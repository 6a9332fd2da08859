import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import Testing

@Suite("Access tokens")
struct AccessTokenTests {
    private let tokens: JWTTokenService
    private let ring: KeyRing

    init() throws {
        tokens = try Sample.service()
        ring = try KeyRing(secret: Sample.accessSecret)
    }

    @Test("a token that expires later than any setting allows is refused")
    func lifetimeTooLong() throws {
        let caller = Sample.access.caller
        for (lifetime, isAccepted) in [(86_400, true), (86_400 + 61, false), (1 << 33, false)] {
            let claims = AccessClaims(
                caller: caller, clientID: "c", tokenID: "t", issuedAt: Sample.now,
                expiresAt: Sample.now + .seconds(lifetime))
            let token = tokens.accessToken(claims)
            if isAccepted {
                #expect(try tokens.readAccessToken(token, now: Sample.now) == claims.caller)
            } else {
                #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(token, now: Sample.now) }
            }
        }
    }

    @Test("an access token has the claims of RFC 9068 and those that the guard passes on")
    func claims() throws {
        let jws = try CompactJWS(tokens.accessToken(Sample.access))
        #expect(jws.type == "at+jwt")
        #expect(jws.algorithmName == "HS256")
        #expect(jws.keyID != nil)
        let expected: JSONObject = [
            "iss": "gatehouse", "aud": "api", "client_id": "com.example.app", "sub": "user_01", "sid": "sess_01",
            "gen": 7, "role": "ADMIN", "auth_time": 1_759_999_400, "iat": 1_760_000_000, "exp": 1_760_000_900,
            "jti": "at_01",
        ]
        #expect(try jws.claims() == expected)
    }

    @Test("a token that was written can be read", arguments: Role.allCases)
    func roundTrip(role: Role) throws {
        let caller = Caller(
            userID: UserID("user_02"), sessionID: SessionID("sess_02"), generation: 2, role: role,
            authenticatedAt: Sample.now)
        let claims = AccessClaims(
            caller: caller, clientID: "c", tokenID: "t", issuedAt: Sample.now, expiresAt: Sample.now + .seconds(1))
        #expect(try tokens.readAccessToken(tokens.accessToken(claims), now: Sample.now) == claims.caller)
    }

    /// How the token is read that has each of these values in place of a claim.
    private func callers(replacing claim: String, by values: [JSONValue?]) throws -> [Caller] {
        var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        return try values.map { value in
            claims[claim] = value
            return try tokens.readAccessToken(
                Sample.signed(claims, type: "at+jwt", by: ring.current), now: Sample.now)
        }
    }

    @Test("a token without auth_time is accepted and counts as the oldest login")
    func withoutLoginTime() throws {
        for caller in try callers(replacing: "auth_time", by: [nil, .string("1760000000"), .null]) {
            #expect(caller.sessionID == Sample.caller.sessionID)
            #expect(caller.authenticatedAt == Timestamp(seconds: 0))
        }
    }

    @Test("a token without gen is accepted and names no generation")
    func withoutGeneration() throws {
        for caller in try callers(replacing: "gen", by: [nil, .string("7"), .null]) {
            #expect(caller.sessionID == Sample.caller.sessionID)
            #expect(caller.generation == 0)
        }
    }

    @Test("an access token expires at exp, without leeway")
    func expiry() throws {
        let token = tokens.accessToken(Sample.access)
        let end = Sample.access.expiresAt
        #expect(throws: Never.self) { try tokens.readAccessToken(token, now: end - .milliseconds(1)) }
        for late in [Duration.zero, .milliseconds(1), .seconds(60), .seconds(1_000_000)] {
            #expect(throws: Refusal.accessTokenExpired) { try tokens.readAccessToken(token, now: end + late) }
        }
    }

    @Test(
        "a token with a claim missing or of the wrong type is invalid",
        arguments: ["iss", "aud", "client_id", "sub", "sid", "role", "iat", "exp", "jti"])
    func incomplete(claim: String) throws {
        var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        let genuine = try Sample.signed(claims, type: "at+jwt", by: ring.current)
        #expect(try tokens.readAccessToken(genuine, now: Sample.now) == Sample.access.caller)
        for value in [nil, .null, true, ["x"], "x\u{0}y", -1.5] as [JSONValue?] {
            if ["client_id", "sub", "sid", "jti"].contains(claim), value?.string != nil { continue }
            claims[claim] = value
            let token = try Sample.signed(claims, type: "at+jwt", by: ring.current)
            #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(token, now: Sample.now) }
        }
    }

    @Test("a token of another issuer or for another audience is refused, even if the secret is the same")
    func otherIssuerOrAudience() throws {
        for (issuer, audience) in [("elsewhere", "api"), ("gatehouse", "other")] {
            let other = Sample.service(issuer: issuer, audience: audience, access: ring, refresh: ring)
            let token = other.accessToken(Sample.access)
            #expect(throws: Never.self) { try other.readAccessToken(token, now: Sample.now) }
            #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(token, now: Sample.now) }
        }
    }

    @Test(
        "a token with any other typ is refused", arguments: [nil, "JWT", "rt+jwt", "AT+JWT", "application/at+jwt", ""])
    func type(name: String?) throws {
        let claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        let token = try Sample.signed(claims, type: name, by: ring.current)
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(token, now: Sample.now) }
    }

    @Test(
        "a token signed with a key pair verifies with the published key", arguments: [Algorithm.ES256, .EdDSA, .RS256])
    func keyPairs(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let service = Sample.service(access: KeyRing(current: key), refresh: try KeyRing(secret: Sample.refreshSecret))
        let token = service.accessToken(Sample.access)
        #expect(try service.readAccessToken(token, now: Sample.now) == Sample.access.caller)
        let published = try VerificationKey(jwk: try #require(key.publicJWK))
        let jws = try CompactJWS(token)
        try jws.verify(with: published)
        #expect(jws.algorithmName == algorithm.rawValue)
        #expect(jws.keyID == published.keyID)
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(token, now: Sample.now) }
    }

    @Test("tokens signed with a secret stay valid after a switch to a key pair")
    func fromSecretToKeyPair() throws {
        let key = try SigningKey.generate(.ES256)
        let after = Sample.service(
            access: KeyRing(current: key, previous: [ring.current]), refresh: try KeyRing(secret: Sample.refreshSecret))
        let old = tokens.accessToken(Sample.access)
        #expect(try after.readAccessToken(old, now: Sample.now) == Sample.access.caller)
        #expect(try CompactJWS(after.accessToken(Sample.access)).algorithmName == "ES256")
    }

    @Test("a token longer than 4096 bytes is refused")
    func length() throws {
        var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        claims["pad"] = .string(String(repeating: "p", count: 2400))
        let token = try Sample.signed(claims, type: "at+jwt", by: ring.current)
        #expect(token.utf8.count < 4096)
        #expect(throws: Never.self) { try tokens.readAccessToken(token, now: Sample.now) }
        claims["pad"] = .string(String(repeating: "p", count: 2900))
        let longer = try Sample.signed(claims, type: "at+jwt", by: ring.current)
        #expect(longer.utf8.count > 4096)
        #expect(throws: Refusal.invalidAccessToken) { try tokens.readAccessToken(longer, now: Sample.now) }
    }
}
