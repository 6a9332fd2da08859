internal import COpenSSL

/// A cipher, looked up among the providers once.
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
