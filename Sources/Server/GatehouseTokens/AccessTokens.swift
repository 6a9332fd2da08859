package import Gatehouse
import JOSE
import JSON

/// Access tokens: JWTs as RFC 9068 defines them.
extension JWTTokenService {
    static let accessTokenType = "at+jwt"
    /// With an allowance for two servers whose clocks differ.
    private static let longestTimeToExpiry = Policy.longestAccessTokenLifetime + .seconds(60)

    package func accessToken(_ claims: AccessClaims) -> String {
        var json = JSONWriter(reserving: 384)
        json.object { json in
            json.member("iss", accessClaimParser.issuer)
            json.member("aud", accessClaimParser.audience)
            json.member("client_id", claims.clientID)
            json.member("sub", claims.caller.userID.text)
            json.member("sid", claims.caller.sessionID.text)
            json.member("gen", claims.caller.generation)
            json.member("role", claims.caller.role.rawValue)
            json.member("auth_time", claims.caller.authenticatedAt.seconds)
            json.member("acr", claims.caller.strength.rawValue)
            json.member("iat", claims.issuedAt.seconds)
            json.member("exp", claims.expiresAt.seconds)
            json.member("jti", claims.tokenID)
            // RFC 9449, section 6.1
            if let key = claims.caller.keyThumbprint { json.member("cnf", object: { $0.member("jkt", key) }) }
            if claims.caller.needsPhone { json.member("phone_required", true) }
            if claims.caller.isGuest { json.member("guest", true) }
            if let method = claims.method {
                json.member("amr", .array(method.references.map(JSONValue.string)))
            }
            let attributes = claims.caller.attributes
            if !attributes.isEmpty { json.member("attributes", json: attributes.json) }
        }
        return accessSigner.token(for: json.finish())
    }

    package func readAccessToken(_ token: ArraySlice<UInt8>, now: Timestamp) throws(Refusal) -> Caller {
        guard let claims = accessVerifier.claims(of: token.span, parsedBy: accessClaimParser) else {
            throw .invalidAccessToken
        }
        guard now < claims.expiresAt else { throw .accessTokenExpired }
        // Refuses a token that was issued by a fast clock: it would be valid for longer than its lifetime.
        guard claims.issuedAt <= now + ClockAgreement.readinessLimit else { throw .invalidAccessToken }
        // No setting allows a longer lifetime. This limits how long a token made with a stolen key works.
        guard claims.expiresAt <= now + Self.longestTimeToExpiry else { throw .invalidAccessToken }
        return claims.caller
    }

    package func role(inExpired token: ArraySlice<UInt8>) -> Role? {
        accessVerifier.claims(of: token.span, parsedBy: accessClaimParser)?.caller.role
    }

    package var issuer: String { accessClaimParser.issuer }
    package var audience: String { accessClaimParser.audience }

    package func readAccessClaims(_ token: String, now: Timestamp) throws(Refusal) -> AccessClaims {
        let caller = try readAccessToken(Array(token.utf8)[...], now: now)
        // The token is verified, so the claims that no guarded request needs can be read without another verification.
        guard let payload = try? CompactJWS(token).payload, let claims = try? JSONObjectReader(parsing: payload),
            let client = claims.string("client_id"), let id = claims.string("jti"),
            let issued = claims.integer("iat"), let expires = claims.integer("exp")
        else { throw .invalidAccessToken }
        let words = claims["amr"]?.array?.compactMap(\.string).joined(separator: " ")
        return AccessClaims(
            caller: caller, method: words.flatMap(LoginMethod.init), clientID: client, tokenID: id,
            issuedAt: Timestamp(seconds: issued),
            expiresAt: Timestamp(seconds: expires))
    }
}

struct AccessClaimParser: ClaimParser {
    let issuer: String
    let audience: String

    /// The caller and the expiry. The claims that only other services use must be present, but
    /// their values are not used.
    func parse(_ json: inout some JSONClaims) -> (caller: Caller, issuedAt: Timestamp, expiresAt: Timestamp)? {
        guard json.has("iss", issuer), json.has("aud", audience), json.hasText("client_id"),
            let user = json.string("sub"), let session = json.string("sid")
        else { return nil }
        // A token without this claim confirms no generation.
        let generation = json.integer("gen") ?? 0
        guard let role = json.string("role").flatMap(Role.init(rawValue:)) else { return nil }
        // A token without this claim counts as the oldest login: requests that require a recent login refuse it.
        let authTime = json.integer("auth_time") ?? 0
        // A token without this claim, or with another value, is of a login of one factor.
        let isStrong = json.has("acr", LoginStrength.twoFactors.rawValue)
        guard let issued = json.integer("iat"), let expires = json.integer("exp"), json.hasText("jti") else {
            return nil
        }
        let keyThumbprint = json.string("jkt", in: "cnf")
        let needsPhone = json.isTrue("phone_required")
        let isGuest = json.isTrue("guest")
        json.skipTexts("amr")
        let attributes = json.sortedObject("attributes").map(Attributes.init(canonical:)) ?? .none
        let caller = Caller(
            userID: UserID(user), sessionID: SessionID(session), generation: generation, role: role,
            authenticatedAt: Timestamp(seconds: authTime), keyThumbprint: keyThumbprint,
            strength: isStrong ? .twoFactors : .single, needsPhone: needsPhone, isGuest: isGuest,
            attributes: attributes)
        return (caller, Timestamp(seconds: issued), Timestamp(seconds: expires))
    }
}
