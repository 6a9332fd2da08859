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
            "gen": 7, "role": "ADMIN", "auth_time": 1_759_999_400, "acr": "urn:gatehouse:1", "iat": 1_760_000_000,
            "exp": 1_760_000_900,
            "jti": "at_01",
        ]
        #expect(try jws.claims() == expected)
    }

    @Test("the attributes in a token are read as they were written, and sorted where another program has written them")
    func attributes() throws {
        let attributes = Attributes(canonical: #"{"plan":"中国 \"}\\","roles":["EDITOR"]}"#)
        let sample = Sample.caller
        let caller = Caller(
            userID: sample.userID, sessionID: sample.sessionID, generation: 7, role: .user,
            authenticatedAt: sample.authenticatedAt, attributes: attributes)
        let claims = AccessClaims(
            caller: caller, clientID: "c", tokenID: "t", issuedAt: Sample.now, expiresAt: Sample.now + .seconds(900))
        let token = tokens.accessToken(claims)
        #expect(try tokens.readAccessToken(token, now: Sample.now) == caller)
        #expect(try tokens.readAccessClaims(token, now: Sample.now) == claims)
        var members = try CompactJWS(token).claims()
        members["attributes"] = ["roles": ["EDITOR"], "plan": "中国 \"}\\"]
        members["more"] = 1
        let other = try Sample.signed(members, type: "at+jwt", by: ring.current)
        #expect(try tokens.readAccessToken(other, now: Sample.now) == caller)
        members["attributes"] = "x"
        let none = try Sample.signed(members, type: "at+jwt", by: ring.current)
        #expect(try tokens.readAccessToken(none, now: Sample.now).attributes == .none)
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

    @Test("a token without auth_time counts as the oldest login, and one without gen names no generation")
    func optionalClaims() throws {
        for (claim, text) in [("auth_time", "1760000000"), ("gen", "7")] {
            var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
            for value in [nil, .string(text), .null] as [JSONValue?] {
                claims[claim] = value
                let token = try Sample.signed(claims, type: "at+jwt", by: ring.current)
                let caller = try tokens.readAccessToken(token, now: Sample.now)
                #expect(caller.sessionID == Sample.caller.sessionID)
                #expect(claim == "gen" ? caller.generation == 0 : caller.authenticatedAt == Timestamp(seconds: 0))
            }
        }
    }

    @Test("a token says how strong the login was and how it was made", arguments: LoginMethod.allCases)
    func method(_ method: LoginMethod) throws {
        let caller = Caller(
            userID: Sample.caller.userID, sessionID: Sample.caller.sessionID, generation: 7, role: .user,
            authenticatedAt: Sample.now, keyThumbprint: "key", strength: method.strength, needsPhone: true)
        let written = AccessClaims(
            caller: caller, method: method, clientID: "c", tokenID: "t", issuedAt: Sample.now,
            expiresAt: Sample.now + .seconds(9))
        let token = tokens.accessToken(written)
        let claims = try CompactJWS(token).claims()
        #expect(claims["acr"] == .string(method == .verifiedPasskey ? "urn:gatehouse:2" : "urn:gatehouse:1"))
        #expect(claims["amr"] == .array(method.rawValue.split(separator: " ").map { .string(String($0)) }))
        #expect(try tokens.readAccessToken(token, now: Sample.now) == caller)
        #expect(try tokens.readAccessClaims(token, now: Sample.now) == written)
    }

    @Test("a token says that its user is a guest, and nothing where the user is none", arguments: [true, false])
    func guest(isGuest: Bool) throws {
        let caller = Caller(
            userID: Sample.caller.userID, sessionID: Sample.caller.sessionID, generation: 7, role: .user,
            authenticatedAt: Sample.now, keyThumbprint: "key", isGuest: isGuest)
        let written = AccessClaims(
            caller: caller, clientID: "c", tokenID: "t", issuedAt: Sample.now, expiresAt: Sample.now + .seconds(9))
        let token = tokens.accessToken(written)
        var claims = try CompactJWS(token).claims()
        #expect(claims["guest"] == (isGuest ? true : nil))
        #expect(try tokens.readAccessToken(token, now: Sample.now) == caller)
        #expect(try tokens.readAccessClaims(token, now: Sample.now) == written)
        claims["guest"] = .string("true")
        let other = try Sample.signed(claims, type: "at+jwt", by: ring.current)
        #expect(try !tokens.readAccessToken(other, now: Sample.now).isGuest, "not a boolean")
    }

    @Test("the words of a method are those of RFC 8176")
    func words() {
        let registered: Set<String> = [
            "face", "fpt", "geo", "hwk", "iris", "kba", "mca", "mfa", "otp", "pin", "pop", "pwd", "rba", "retina", "sc",
            "sms", "swk", "tel", "user", "vbm", "wia",
        ]
        for method in LoginMethod.allCases { #expect(registered.isSuperset(of: method.references)) }
        #expect(LoginMethod.allCases.filter { $0.references.contains("mfa") } == [.verifiedPasskey])
    }

    @Test("a token without acr, or with another one, is of a weak login, in any order of its claims")
    func strength() throws {
        var claims = try CompactJWS(tokens.accessToken(Sample.access)).claims()
        for (acr, strength) in [
            (nil, .single), (.string(""), .single), (.string("urn:gatehouse:3"), .single), (2, .single),
            (["urn:gatehouse:2"], .single), (.string("urn:gatehouse:2"), .twoFactors),
        ] as [(JSONValue?, LoginStrength)] {
            claims["acr"] = acr
            for amr in [nil, ["unknown"], [1], "mfa"] as [JSONValue?] {
                claims["amr"] = amr
                let token = try Sample.signed(claims, type: "at+jwt", by: ring.current)
                #expect(try tokens.readAccessToken(token, now: Sample.now).strength == strength)
                #expect(try tokens.readAccessClaims(token, now: Sample.now).method == nil)
            }
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
}
