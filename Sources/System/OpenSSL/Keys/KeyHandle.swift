internal import COpenSSL

/// Owns an `EVP_PKEY`, public or private, that is not modified after it is built.
///
/// `@unchecked Sendable`: openssl-threads(7) calls objects thread-safe "as long as the API's being invoked don't modify
/// the object", and states that two threads can sign with separate contexts. Every operation below creates its own
/// context and only reads the key.
@safe
final class KeyHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnership pointer: OpaquePointer) {
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_PKEY_free(pointer) }

    /// - Parameter digest: Nil for Ed25519, which hashes the message itself.
    func sign(_ message: [UInt8], digest: MessageDigest?) throws(OpenSSLError) -> [UInt8] {
        guard let context = unsafe EVP_MD_CTX_new() else { throw .drained("EVP_MD_CTX_new") }
        defer { unsafe EVP_MD_CTX_free(context) }
        guard unsafe EVP_DigestSignInit(context, nil, digest?.pointer, nil, pointer) == 1 else {
            throw .drained("EVP_DigestSignInit")
        }
        var count = Int(unsafe EVP_PKEY_get_size(pointer))
        var signature = [UInt8](repeating: 0, count: count)
        guard unsafe EVP_DigestSign(context, &signature, &count, message, message.count) == 1 else {
            throw .drained("EVP_DigestSign")
        }
        return Array(signature.prefix(count))
    }

    /// A number of the key, by OpenSSL's name of the parameter.
    func number(_ parameter: String) throws(OpenSSLError) -> BigNumber {
        var number: OpaquePointer?
        guard unsafe EVP_PKEY_get_bn_param(pointer, parameter, &number) == 1, let number = unsafe number else {
            throw .drained("EVP_PKEY_get_bn_param")
        }
        return unsafe BigNumber(takingOwnership: number)
    }
}
