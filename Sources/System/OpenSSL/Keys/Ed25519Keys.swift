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

/// A key that verifies Ed25519 signatures (EdDSA in JOSE, RFC 8037).
package struct Ed25519PublicKey: Sendable {
    package static let byteCount = 32

    package let raw: [UInt8]
    private let verifier: MessageVerifier

    package init(raw: [UInt8]) throws(KeyError) {
        guard raw.count == Self.byteCount else { throw .length(bytes: raw.count) }
        guard let key = unsafe EVP_PKEY_new_raw_public_key_ex(nil, "ED25519", nil, raw, raw.count) else {
            throw .failed(.drained("EVP_PKEY_new_raw_public_key_ex"))
        }
        self.raw = raw
        verifier = MessageVerifier(unsafe KeyHandle(takingOwnership: key))
    }

    package func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        verifier.isValid(signature: signature, for: message)
    }
}

/// An Ed25519 public key with a prepared context. Ed25519 takes the whole message, not its hash. Copying the context
/// is faster than preparing one for each verification.
///
/// `@unchecked Sendable`: openssl-threads(7) calls objects thread-safe "as long as the API's being invoked don't modify
/// the object". The context is not modified after it is built: every verification copies it, and the copy function
/// takes it as `const`.
@safe
final class MessageVerifier: @unchecked Sendable {
    private let prepared: OpaquePointer

    init(_ key: KeyHandle) {
        unsafe prepared = Self.newContext()
        guard unsafe EVP_DigestVerifyInit(prepared, nil, nil, nil, key.pointer) == 1 else {
            OpenSSLError.trap("EVP_DigestVerifyInit")
        }
    }

    deinit { unsafe EVP_MD_CTX_free(prepared) }

    func isValid(signature: [UInt8], for message: [UInt8]) -> Bool {
        let context = unsafe Self.newContext()
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_MD_CTX_copy_ex(context, prepared) == 1 else { OpenSSLError.trap("EVP_MD_CTX_copy_ex") }
        let status = unsafe EVP_DigestVerify(context, signature, signature.count, message, message.count)
        // 0 means a wrong signature, a negative number a malformed one.
        if status != 1 { ERR_clear_error() }
        return status == 1
    }

    private static func newContext() -> OpaquePointer {
        guard let context = unsafe EVP_MD_CTX_new() else { OpenSSLError.trap("EVP_MD_CTX_new") }
        return unsafe context
    }
}
