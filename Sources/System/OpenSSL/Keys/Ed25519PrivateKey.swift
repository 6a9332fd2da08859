internal import COpenSSL

/// A key pair that signs with Ed25519 (EdDSA in JOSE, RFC 8037).
package struct Ed25519PrivateKey: Sendable {
    package static let seedByteCount = 32

    let handle: KeyHandle
    package let publicKey: Ed25519PublicKey

    init(_ handle: KeyHandle) throws(KeyError) {
        self.handle = handle
        var count = Ed25519PublicKey.byteCount
        var raw = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_PKEY_get_raw_public_key(handle.pointer, &raw, &count) == 1 else {
            throw .failed(.drained("EVP_PKEY_get_raw_public_key"))
        }
        publicKey = try Ed25519PublicKey(raw: Array(raw.prefix(count)))
    }

    /// - Parameter seed: The 32 bytes that RFC 8032 calls the private key.
    package init(seed: [UInt8]) throws(KeyError) {
        guard seed.count == Self.seedByteCount else { throw .length(bytes: seed.count) }
        guard let key = unsafe EVP_PKEY_new_raw_private_key_ex(nil, "ED25519", nil, seed, seed.count) else {
            throw .failed(.drained("EVP_PKEY_new_raw_private_key_ex"))
        }
        try self.init(unsafe KeyHandle(takingOwnership: key))
    }

    package static func generate() throws(KeyError) -> Ed25519PrivateKey {
        try Ed25519PrivateKey(seed: SecureRandom.bytes(seedByteCount))
    }

    package func sign(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try handle.sign(message, digest: nil)
    }

    /// PKCS #8, not encrypted.
    package var pem: String { handle.pem }
}
