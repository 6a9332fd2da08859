import OpenSSL

/// Why a token, a key or a set of keys was rejected. The messages contain no part of the rejected input.
package enum JOSEError: Error, Equatable, Sendable {
    /// The input does not have the form that the RFC requires.
    case malformed(String)
    /// The header names another algorithm than the key's.
    case algorithm
    /// The signature is missing or wrong.
    case signature
    /// The header names another key.
    case unknownKey
    /// The key is valid but must not be used, or not for this purpose.
    case unusableKey(String)
    /// OpenSSL could not sign.
    case signing(String)
}

extension JOSEError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .malformed(let reason): "malformed: \(reason)"
        case .algorithm: "the token and the key have different algorithms"
        case .signature: "the signature is not valid"
        case .unknownKey: "the token names another key"
        case .unusableKey(let reason): "unusable key: \(reason)"
        case .signing(let reason): "signing failed: \(reason)"
        }
    }

    /// Converts errors of the OpenSSL target.
    static func unusable<Key>(_ key: () throws(KeyError) -> Key) throws(JOSEError) -> Key {
        do {
            return try key()
        } catch {
            throw .unusableKey(error.description)
        }
    }
}
