package import Gatehouse
package import JOSE
import JSON

/// Makes the client secrets that authenticate this server to Apple: JWTs signed with a key that the developer has
/// registered with Apple.
package struct ClientSecrets: Sendable {
    private static let audience = "https://appleid.apple.com"

    /// Apple's clock may be behind this server's.
    private static let leeway = Duration.seconds(60)
    /// Apple allows six months. A secret is made for one request and needs no more than this.
    private static let lifetime = Duration.seconds(300)

    private let teamID: String
    private let key: SigningKey

    /// - Parameter key: a P-256 key, with the key id that Apple has assigned.
    package init(teamID: String, key: SigningKey) {
        precondition(key.algorithm == .ES256, "Apple accepts only client secrets signed with ES256")
        self.teamID = teamID
        self.key = key
    }

    /// - Parameter clientID: the bundle id or Services ID for which the request is made.
    package func secret(for clientID: String, now: Timestamp) throws(JOSEError) -> String {
        let claims: JSONObject = [
            "iss": .string(teamID), "iat": .integer((now - Self.leeway).seconds),
            "exp": .integer((now + Self.lifetime).seconds), "aud": .string(Self.audience), "sub": .string(clientID),
        ]
        return try CompactJWS.sign(payload: claims.bytes, with: key)
    }
}
