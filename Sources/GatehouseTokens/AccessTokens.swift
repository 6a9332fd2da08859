import Gatehouse
import JOSE
import JSON

/// Access tokens: JWTs by RFC 9068.
package struct AccessTokens: Sendable {
    private static let type = "at+jwt"
    /// Two clocks may differ a little.
    private static let longestLifetime = Policy.longestAccessTokenLifetime + .seconds(60)

    private let issuer: String
    private let audience: String
    private let signer: TokenSigner
    private let reader: TokenReader

    package init(issuer: String, audience: String, ring: KeyRing) {
        self.issuer = issuer
        self.audience = audience
        signer = TokenSigner(key: ring.current, type: Self.type)
        reader = TokenReader(type: Self.type, ring: ring)
    }

    func write(_ claims: AccessClaims) -> String {
        var json = JSONWriter(reserving: 384)
        json.object { json in
            json.member("iss", issuer)
            json.member("aud", audience)
            json.member("client_id", claims.clientID)
            json.member("sub", claims.caller.userID.text)
            json.member("sid", claims.caller.sessionID.text)
            json.member("role", claims.caller.role.rawValue)
            json.member("auth_time", claims.caller.authenticatedAt.seconds)
            json.member("iat", claims.issuedAt.seconds)
            json.member("exp", claims.expiresAt.seconds)
            json.member("jti", claims.tokenID)
        }
        return signer.token(for: json.finish())
    }

    func read(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller {
        guard let claims = reader.claims(of: token.span, by: self) else { throw .invalidAccessToken }
        guard now < claims.expiresAt else { throw .accessTokenExpired }
        // None of ours is meant for longer: what was made with a stolen key is worth no more than that.
        guard claims.expiresAt <= now + Self.longestLifetime else { throw .invalidAccessToken }
        return claims.caller
    }
}

extension AccessTokens: ClaimParser {
    /// Who sends a request, and until when their token says so. The other claims are for others: that they are there is all
    /// we ask of them.
    func parse(_ json: inout some JSONClaims) -> (caller: Caller, expiresAt: Timestamp)? {
        guard json.has("iss", issuer), json.has("aud", audience), json.hasText("client_id"),
            let user = json.string("sub"), let session = json.string("sid"),
            let role = json.string("role").flatMap(Role.init(rawValue:))
        else { return nil }
        // Tokens of an older program do not say when the login was: no request that demands a recent one accepts them.
        let authTime = json.integer("auth_time") ?? 0
        guard json.integer("iat") != nil, let expires = json.integer("exp"), json.hasText("jti") else { return nil }
        let caller = Caller(
            userID: UserID(user), sessionID: SessionID(session), role: role,
            authenticatedAt: Timestamp(seconds: authTime))
        return (caller, Timestamp(seconds: expires))
    }
}
