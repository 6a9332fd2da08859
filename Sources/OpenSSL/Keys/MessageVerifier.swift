internal import COpenSSL

/// A public key of an algorithm that hashes the message itself (Ed25519), with everything looked up that verifying with
/// it takes: that is more work than copying what was found.
///
/// `@unchecked Sendable`: openssl-threads(7) calls objects thread-safe "as long as the API's being invoked don't modify
/// the object". The context is never changed once it is built: every verification copies it, and copying takes it as
/// `const`.
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
        // 0 is a signature that does not match, a negative number one that could not be read: neither is valid.
        if status != 1 { ERR_clear_error() }
        return status == 1
    }

    private static func newContext() -> OpaquePointer {
        guard let context = unsafe EVP_MD_CTX_new() else { OpenSSLError.trap("EVP_MD_CTX_new") }
        return unsafe context
    }
}
