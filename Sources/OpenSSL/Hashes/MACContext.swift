internal import COpenSSL

/// One HMAC-SHA-256 computation with its key already mixed in, to be used again and again by one thread at a time.
///
/// `@unchecked Sendable`: openssl-threads(7) forbids "simultaneous use" of such an object, not moving it between
/// threads. ``HMACSHA256Key`` lends each context to one caller at a time.
@safe
final class MACContext: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(secret: [UInt8]) {
        guard let pointer = unsafe EVP_MAC_CTX_new(HMACAlgorithm.shared.pointer) else {
            OpenSSLError.trap("EVP_MAC_CTX_new")
        }
        unsafe self.pointer = pointer
        var digestName = Array("SHA256".utf8CString)
        let parameterName: StaticString = "digest"
        let status = unsafe digestName.withUnsafeMutableBufferPointer { name in
            let parameters = unsafe [
                OSSL_PARAM_construct_utf8_string(parameterName.cString, name.baseAddress, 0),
                OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_MAC_init(pointer, secret, secret.count, parameters)
        }
        guard status == 1 else { OpenSSLError.trap("EVP_MAC_init") }
    }

    deinit { unsafe EVP_MAC_CTX_free(pointer) }

    func authenticate(_ bytes: Span<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { output, count in
            // Without a key, EVP_MAC_init starts over with the one it was given before.
            guard unsafe EVP_MAC_init(pointer, nil, 0, nil) == 1 else { OpenSSLError.trap("EVP_MAC_init") }
            let status = unsafe bytes.withUnsafeBytes { input in
                unsafe EVP_MAC_update(pointer, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count)
            }
            guard status == 1, unsafe EVP_MAC_final(pointer, output.baseAddress, &count, output.count) == 1 else {
                OpenSSLError.trap("EVP_MAC_final")
            }
        }
    }
}

/// The HMAC algorithm, looked up once.
///
/// `@unchecked Sendable`: an `EVP_MAC` is not modified after it is fetched (see ``MessageDigest``).
@safe
private final class HMACAlgorithm: @unchecked Sendable {
    static let shared = HMACAlgorithm()

    let pointer: OpaquePointer

    private init() {
        guard let pointer = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { OpenSSLError.trap("EVP_MAC_fetch") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe EVP_MAC_free(pointer) }
}
