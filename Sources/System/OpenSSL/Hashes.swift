internal import COpenSSL

package enum SHA256 {
    package static let byteCount = 32

    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

    package static func hash(_ text: String) -> [UInt8] { hash(text.utf8.span) }

    package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
        var state = SHA256State()
        state.update(bytes)
        return Array(copying: state.finish().span)
    }
}

/// An incremental SHA-256 computation. Since it can be copied, a common prefix of many messages is hashed only once.
package struct SHA256State {
    package typealias Hash = InlineArray<32, UInt8>

    private var context = SHA256_CTX()

    package init() {
        guard unsafe sha256_begin(&context) == 1 else { OpenSSLError.trap("SHA256_Init") }
    }

    package mutating func update(_ bytes: Span<UInt8>) {
        let status = unsafe bytes.withUnsafeBytes { unsafe sha256_update(&context, $0.baseAddress, $0.count) }
        guard status == 1 else { OpenSSLError.trap("SHA256_Update") }
    }

    package consuming func finish() -> Hash {
        var hash = Hash(repeating: 0)
        var bytes = hash.mutableSpan
        let status = unsafe bytes.withUnsafeMutableBytes { output in
            unsafe sha256_finish(output.baseAddress?.assumingMemoryBound(to: UInt8.self), &context)
        }
        guard status == 1 else { OpenSSLError.trap("SHA256_Final") }
        return hash
    }
}

/// A secret key for HMAC-SHA-256 (RFC 2104).
///
/// For a message as short as a token, hashing the padded key is most of the work. It is done once, and each message
/// continues with copies of that state.
package final class HMACSHA256Key: Sendable {
    private static let blockByteCount = 64

    private let inner: SHA256State
    private let outer: SHA256State

    /// - Precondition: The secret is not empty. The caller checks its minimum length.
    package init(_ secret: [UInt8]) {
        precondition(!secret.isEmpty, "an HMAC key must not be empty")
        let key = secret.count > Self.blockByteCount ? SHA256.hash(secret) : secret
        inner = Self.initialState(key, paddedWith: 0x36)
        outer = Self.initialState(key, paddedWith: 0x5C)
    }

    package func authenticate(_ bytes: [UInt8]) -> [UInt8] { Array(copying: tag(of: bytes.span).span) }

    /// Compares in constant time. A tag that is not 32 bytes long is not valid.
    package func isValid(tag: [UInt8], for bytes: [UInt8]) -> Bool { isValid(tag: tag, for: bytes.span) }

    package func isValid(tag: [UInt8], for bytes: Span<UInt8>) -> Bool {
        constantTimeEquals(tag.span, self.tag(of: bytes).span)
    }

    private func tag(of bytes: Span<UInt8>) -> SHA256State.Hash {
        var message = inner
        message.update(bytes)
        var tag = outer
        tag.update(message.finish().span)
        return tag.finish()
    }

    private static func initialState(_ key: [UInt8], paddedWith pad: UInt8) -> SHA256State {
        var block = [UInt8](repeating: pad, count: blockByteCount)
        for index in key.indices { block[index] ^= key[index] }
        var state = SHA256State()
        state.update(block.span)
        return state
    }
}

package enum SHA512 {
    package static let byteCount = 64

    package static func hash(_ text: String) -> [UInt8] {
        let bytes = text.utf8.span
        var hash = [UInt8](repeating: 0, count: byteCount)
        var span = hash.mutableSpan
        let status = unsafe bytes.withUnsafeBytes { input in
            unsafe span.withUnsafeMutableBytes { output in
                unsafe EVP_Digest(
                    input.baseAddress, input.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
                    MessageDigest.sha512.pointer, nil)
            }
        }
        guard status == 1 else { OpenSSLError.trap("EVP_Digest") }
        return hash
    }
}

/// Compares in constant time, so that the duration does not reveal the position of the first difference. The lengths
/// are not secret: different lengths return false at once.
package func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    constantTimeEquals(left.span, right.span)
}

package func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    return unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe CRYPTO_memcmp(left.baseAddress, right.baseAddress, left.count) == 0
        }
    }
}

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
