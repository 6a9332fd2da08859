internal import COpenSSL

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
