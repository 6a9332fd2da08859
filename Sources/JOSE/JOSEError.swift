import OpenSSL

/// Why a token, a key or a set of keys was refused. The texts are ours; nothing of what was refused is in them.
package enum JOSEError: Error, Equatable, Sendable {
    /// Not what the RFC says such a thing looks like.
    case malformed(String)
    /// The header names another algorithm than the key is for.
    case algorithm
    /// The signature is missing or is not the key's over these bytes.
    case signature
    /// The header names another key.
    case unknownKey
    /// A key that could be read but must not be used, or not for this.
    case unusableKey(String)
    /// OpenSSL could not sign.
    case signing(String)
}

extension JOSEError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let reason): "malformed: \(reason)"
        case .algorithm: "the algorithm is not the key's"
        case .signature: "the signature is not valid"
        case .unknownKey: "the token names another key"
        case .unusableKey(let reason): "unusable key: \(reason)"
        case .signing(let reason): "signing failed: \(reason)"
        }
    }

    /// Turns the errors of the layer below into this layer's, at the one seam between them.
    static func unusable<Key>(_ key: () throws(KeyError) -> Key) throws(JOSEError) -> Key {
        do {
            return try key()
        } catch {
            throw .unusableKey(error.description)
        }
    }
}
