internal import COpenSSL

/// A digest algorithm, fetched from OpenSSL's providers once: fetching takes longer than hashing a token.
///
/// `@unchecked Sendable`: openssl-threads(7) calls objects thread-safe "as long as the API's being invoked don't modify
/// the object". An `EVP_MD` cannot be modified after it is fetched, and everything that uses it takes it as `const`.
@safe
final class MessageDigest: @unchecked Sendable {
    static let sha256 = MessageDigest(fetching: "SHA256")
    static let sha512 = MessageDigest(fetching: "SHA512")

    let pointer: OpaquePointer

    private init(fetching name: String) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else { OpenSSLError.trap("EVP_MD_fetch") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_MD_free(pointer) }
}

/// A cipher, fetched from OpenSSL's providers once.
///
/// `@unchecked Sendable`: an `EVP_CIPHER` is not modified after it is fetched (see ``MessageDigest``).
@safe
final class Cipher: @unchecked Sendable {
    static let aes256GCM = Cipher(fetching: "AES-256-GCM")

    let pointer: OpaquePointer

    private init(fetching name: String) {
        guard let pointer = unsafe EVP_CIPHER_fetch(nil, name, nil) else { OpenSSLError.trap("EVP_CIPHER_fetch") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_CIPHER_free(pointer) }
}
