package import JOSE
import OpenSSL

/// A key that has just been made, and what an operator keeps of it.
package struct NewKey: Sendable {
    package let key: SigningKey
    /// PEM, or a secret in base64url, without a line end: what a setting takes as it is.
    package let text: String

    package static func generate(_ algorithm: Algorithm) throws(JOSEError) -> NewKey {
        let key = try SigningKey.generate(algorithm)
        if let pem = key.pem { return NewKey(key: key, text: String(pem.dropLast())) }
        // The secret is its text: these are the bytes that the server will sign with, and name the key by.
        let secret = Base64URL.encode(SecureRandom.bytes(VerificationKey.minimumSecretByteCount))
        return NewKey(key: try SigningKey(writtenSecret: Array(secret.utf8)), text: secret)
    }
}
