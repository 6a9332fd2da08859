import GatehouseTokens
import JOSE

/// A secret, and the setting that it stands in.
struct NamedSecret {
    let name: String
    let bytes: [UInt8]

    /// Nil where the secret is too short.
    var key: SigningKey? { try? SigningKey(writtenSecret: bytes) }

    /// Whether two are one secret, be it spelled in two ways.
    func isSame(as other: NamedSecret) -> Bool {
        bytes == other.bytes || decoded != nil && decoded == other.decoded
    }

    /// What base64 stands for, where it is 32 bytes.
    private var decoded: [UInt8]? { DataKey.bytes(written: String(decoding: bytes, as: UTF8.self)) }
}
