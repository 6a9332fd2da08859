import Gatehouse
import GatehouseTokens
import JOSE
import JSON
import StandIn

extension JWTTokenService {
    func readAccessToken(_ token: String, now: Timestamp) throws(Refusal) -> Caller {
        try readAccessToken(Array(token.utf8)[...], now: now)
    }
}

/// Claims and secrets for the tests, and token services that use them.
enum Sample {
    static let now = Timestamp(seconds: 1_760_000_000)
    static let accessSecret = Array("access-secret-of-the-tests-0123456789".utf8)
    static let refreshSecret = Array("refresh-secret-of-the-tests-012345678".utf8)
    static let otherSecret = Array("another-secret-of-the-tests-012345678".utf8)

    static let caller = Caller(
        userID: UserID("user_01"), sessionID: SessionID("sess_01"), generation: 7, role: .admin,
        authenticatedAt: now - .seconds(600))
    static let access = AccessClaims(
        caller: caller, clientID: "com.example.app", tokenID: "at_01", issuedAt: now, expiresAt: now + .seconds(900))
    static let refresh = RefreshClaims(
        userID: UserID("user_01"), sessionID: SessionID("sess_01"), generation: 7, random: [1, 2, 3, 255],
        issuedAt: now, expiresAt: now + .seconds(3600))

    static func service(
        issuer: String = "gatehouse", audience: String = "api", access: KeyRing, refresh: KeyRing
    ) -> JWTTokenService {
        JWTTokenService(
            issuer: issuer, audience: audience, accessKeys: access, refreshKeys: refresh)
    }

    static func service() throws -> JWTTokenService {
        try service(access: KeyRing(secret: accessSecret), refresh: KeyRing(secret: refreshSecret))
    }

    /// With one secret for both kinds of token, which the configuration refuses. The kinds must be distinguished even then.
    static func serviceWithOneSecret() throws -> JWTTokenService {
        try service(access: KeyRing(secret: accessSecret), refresh: KeyRing(secret: accessSecret))
    }

    /// A token with these claims, `typ` and `kid`.
    static func signed(
        _ claims: JSONObject, type: String?, by key: SigningKey, keyID: String?? = .none
    ) throws -> String {
        var header: JSONObject = [:]
        header["kid"] = (keyID ?? key.keyID).map(JSONValue.string)
        header["typ"] = type.map(JSONValue.string)
        return try CompactJWS.sign(payload: claims.bytes, header: header, with: key)
    }
}
