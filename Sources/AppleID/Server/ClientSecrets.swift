package import Gatehouse
package import JOSE
import JSON

/// How Apple's servers know that it is us who ask: JWTs by a key that the developer has registered with them.
package struct ClientSecrets: Sendable {
    private static let audience = "https://appleid.apple.com"

    /// Apple's clock may be behind ours.
    private static let leeway = Duration.seconds(60)
    /// Apple allows six months. Made for one request, a secret needs to live no longer than that.
    private static let lifetime = Duration.seconds(300)

    private let teamID: String
    private let key: SigningKey

    /// - Parameter key: on P-256, under the name that Apple has given it.
    package init(teamID: String, key: SigningKey) {
        precondition(key.algorithm == .ES256, "Apple takes client secrets by ES256 alone")
        self.teamID = teamID
        self.key = key
    }

    /// - Parameter clientID: the bundle id or Services ID on whose behalf we ask.
    package func secret(for clientID: String, now: Timestamp) throws(JOSEError) -> String {
        let claims: JSONObject = [
            "iss": .string(teamID), "iat": .integer((now - Self.leeway).seconds),
            "exp": .integer((now + Self.lifetime).seconds), "aud": .string(Self.audience), "sub": .string(clientID),
        ]
        return try CompactJWS.sign(payload: claims.bytes, with: key)
    }
}
