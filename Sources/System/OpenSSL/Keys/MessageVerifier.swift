internal import COpenSSL

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
