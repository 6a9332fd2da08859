import GatehouseTokens
import JOSE

/// A secret, and the setting that it stands in.
struct NamedSecret {
    let name: String
    let bytes: [UInt8]

    /// Nil where the secret is too short.
    var key: SigningKey? { try? SigningKey(writtenSecret: bytes) }
}
