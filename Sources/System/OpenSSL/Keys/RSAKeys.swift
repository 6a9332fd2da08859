internal import COpenSSL

/// An RSA key pair that signs with RSASSA-PKCS1-v1_5 and SHA-256 (RS256).
package struct RSAPrivateKey: Sendable {
    let handle: KeyHandle
    package let publicKey: RSAPublicKey
    package let modulus: [UInt8]
    package let exponent: [UInt8]

    init(_ handle: KeyHandle) throws(KeyError) {
        self.handle = handle
        do throws(OpenSSLError) {
            modulus = try handle.number(OSSL_PKEY_PARAM_RSA_N).bytes
            exponent = try handle.number(OSSL_PKEY_PARAM_RSA_E).bytes
        } catch {
            throw .failed(error)
        }
        publicKey = try RSAPublicKey(modulus: modulus, exponent: exponent)
    }

    package static func generate(bits: Int = 2048) throws(KeyError) -> RSAPrivateKey {
        guard RSAPublicKey.acceptedBits.contains(bits) else { throw .modulusSize(bits: bits) }
        let handle: KeyHandle
        do {
            handle = try unsafe KeyHandle(generating: "RSA") {
                unsafe EVP_PKEY_CTX_set_rsa_keygen_bits($0, Int32(bits))
            }
        } catch {
            throw .failed(error)
        }
        return try RSAPrivateKey(handle)
    }

    package func sign(_ message: [UInt8]) throws(OpenSSLError) -> [UInt8] {
        try handle.sign(message, digest: .sha256)
    }

    /// PKCS #8, not encrypted.
    package var pem: String { handle.pem }
}

/// An RSA public key that verifies RSASSA-PKCS1-v1_5 signatures with SHA-256 (RS256).
package struct RSAPublicKey: Sendable {
    package static let acceptedBits = 2048...8192

    /// Longer exponents are legal but not used in practice, and only make verification slow.
    private static let maximumExponentBytes = 8

    private let verifier: HashVerifier

    /// - Parameters:
    ///   - modulus: In big-endian order; leading zeros are ignored.
    ///   - exponent: In big-endian order; leading zeros are ignored.
    package init(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
        let modulus = Array(modulus.drop { $0 == 0 })
        let exponent = Array(exponent.drop { $0 == 0 })
        try Self.check(modulus: modulus, exponent: exponent)
        let n = BigNumber(modulus)
        let e = BigNumber(exponent)
        let names: (n: StaticString, e: StaticString) = ("n", "e")
        do throws(OpenSSLError) {
            let parameters = try unsafe KeyParameters { builder in
                unsafe OSSL_PARAM_BLD_push_BN(builder, names.n.cString, n.pointer) == 1
                    && OSSL_PARAM_BLD_push_BN(builder, names.e.cString, e.pointer) == 1
            }
            verifier = HashVerifier(try KeyHandle(publicKeyOf: "RSA", parameters))
        } catch {
            throw .failed(error)
        }
    }

    package func isValidPKCS1SHA256Signature(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        isValidPKCS1SHA256Signature(signature, ofHash: SHA256.hash(message))
    }

    /// - Parameter hash: SHA-256 of the message.
    package func isValidPKCS1SHA256Signature(_ signature: [UInt8], ofHash hash: [UInt8]) -> Bool {
        verifier.isValid(signature: signature, ofHash: hash)
    }

    private static func check(modulus: [UInt8], exponent: [UInt8]) throws(KeyError) {
        let bits = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard acceptedBits.contains(bits) else { throw .modulusSize(bits: bits) }
        guard modulus.last?.isMultiple(of: 2) == false else { throw .evenModulus }
        let isOne = exponent == [1]
        guard (1...maximumExponentBytes).contains(exponent.count), !isOne,
            exponent.last?.isMultiple(of: 2) == false
        else { throw .exponent }
    }
}

/// A public key with a prepared context that verifies signatures of SHA-256 hashes. Copying the context is faster than
/// preparing one for each verification.
///
/// `@unchecked Sendable`: openssl-threads(7) calls objects thread-safe "as long as the API's being invoked don't modify
/// the object". The context is not modified after it is built: every verification copies it, and the copy function
/// takes it as `const`.
@safe
final class HashVerifier: @unchecked Sendable {
    private let prepared: OpaquePointer

    init(_ key: KeyHandle) {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil),
            unsafe EVP_PKEY_verify_init(context) == 1,
            unsafe EVP_PKEY_CTX_set_signature_md(context, MessageDigest.sha256.pointer) == 1
        else { OpenSSLError.trap("EVP_PKEY_verify_init") }
        unsafe prepared = context
    }

    deinit { unsafe EVP_PKEY_CTX_free(prepared) }

    /// A hash that is not 32 bytes long has no valid signature.
    func isValid(signature: [UInt8], ofHash hash: [UInt8]) -> Bool {
        guard hash.count == SHA256.byteCount else { return false }
        guard let context = unsafe EVP_PKEY_CTX_dup(prepared) else { OpenSSLError.trap("EVP_PKEY_CTX_dup") }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let status = unsafe EVP_PKEY_verify(context, signature, signature.count, hash, hash.count)
        // 0 means a wrong signature, a negative number a malformed one.
        if status != 1 { ERR_clear_error() }
        return status == 1
    }
}
