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

extension Ed25519PublicKey {
    /// The prime of the field, and the constant of the curve (RFC 8032, section 5.1).
    private static let prime: [UInt8] = [0x7F] + Array(repeating: 0xFF, count: 30) + [0xED]
    private static let d: [UInt8] = [
        0x52, 0x03, 0x6C, 0xEE, 0x2B, 0x6F, 0xFE, 0x73, 0x8C, 0xC7, 0x40, 0x79, 0x77, 0x79, 0xE8, 0x98,
        0x00, 0x70, 0x0A, 0x4D, 0x41, 0x41, 0xD8, 0xAB, 0x75, 0xEB, 0x4D, 0xCA, 0x13, 0x59, 0x78, 0xA3,
    ]

    /// Whether the key is a point of the curve in its only encoding (RFC 8032, section 5.1.3), and none of the eight points
    /// for which signatures can be made without a private key. OpenSSL checks neither.
    ///
    /// x² is u / v with u = y² - 1 and v = dy² + 1, so u · v must be a square. The eight points are those with y = 0, with
    /// u = 0, and with x² + y² = 0, which is u + y² · v = 0.
    package var isStrong: Bool {
        var bytes = Array(raw.reversed())
        bytes[0] &= 0x7F
        let y = BigNumber(bytes)
        let p = BigNumber(Self.prime)
        let d = BigNumber(Self.d)
        let square = BigNumber([])
        let u = BigNumber([])
        let v = BigNumber([])
        let product = BigNumber([])
        let sum = BigNumber([])
        guard let context = unsafe BN_CTX_new() else { OpenSSLError.trap("BN_CTX_new") }
        defer { unsafe BN_CTX_free(context) }
        guard
            unsafe BN_mod_sqr(square.pointer, y.pointer, p.pointer, context) == 1
                && BN_mod_sub(u.pointer, square.pointer, BN_value_one(), p.pointer, context) == 1
                && BN_mod_mul(v.pointer, square.pointer, d.pointer, p.pointer, context) == 1
                && BN_mod_add(v.pointer, v.pointer, BN_value_one(), p.pointer, context) == 1
                && BN_mod_mul(product.pointer, u.pointer, v.pointer, p.pointer, context) == 1
                && BN_mod_mul(sum.pointer, square.pointer, v.pointer, p.pointer, context) == 1
                && BN_mod_add(sum.pointer, sum.pointer, u.pointer, p.pointer, context) == 1
        else { OpenSSLError.trap("BN_mod_mul") }
        return unsafe BN_cmp(y.pointer, p.pointer) < 0 && BN_is_zero(square.pointer) == 0
            && BN_is_zero(sum.pointer) == 0 && BN_kronecker(product.pointer, p.pointer, context) == 1
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
