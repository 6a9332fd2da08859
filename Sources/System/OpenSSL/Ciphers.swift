internal import COpenSSL

/// Encrypts or decrypts one message with AES-256-GCM: first the additional data, then the message, then the tag.
@safe
struct CipherContext: ~Copyable {
    enum Direction: Int32 {
        case decryption = 0
        case encryption = 1
    }

    private let pointer: OpaquePointer

    /// - Parameters:
    ///   - key: 32 bytes. OpenSSL does not check the length.
    ///   - nonce: 12 bytes. OpenSSL does not check the length.
    init(_ direction: Direction, key: [UInt8], nonce: [UInt8]) {
        precondition(key.count == AES256GCMKey.byteCount && nonce.count == AES256GCMKey.nonceByteCount)
        guard let pointer = unsafe EVP_CIPHER_CTX_new() else { OpenSSLError.trap("EVP_CIPHER_CTX_new") }
        unsafe self.pointer = pointer
        let cipher = unsafe Cipher.aes256GCM.pointer
        guard unsafe EVP_CipherInit_ex2(pointer, cipher, key, nonce, direction.rawValue, nil) == 1 else {
            OpenSSLError.trap("EVP_CipherInit_ex2")
        }
    }

    /// Also erases the key.
    deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

    /// Adds data that is authenticated but not encrypted: a null output buffer tells OpenSSL so.
    func authenticate(_ data: [UInt8]) {
        var count: Int32 = 0
        guard unsafe EVP_CipherUpdate(pointer, nil, &count, data, Int32(data.count)) == 1 else {
            OpenSSLError.trap("EVP_CipherUpdate")
        }
    }

    /// Encrypts or decrypts. In GCM the output has the length of the input.
    func update(_ bytes: [UInt8]) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: bytes.count) { output, initialized in
            var count: Int32 = 0
            let status = unsafe EVP_CipherUpdate(pointer, output.baseAddress, &count, bytes, Int32(bytes.count))
            guard status == 1, count == bytes.count else { OpenSSLError.trap("EVP_CipherUpdate") }
            initialized = bytes.count
        }
    }

    /// Ends the message. False if the tag of a decrypted message does not match; OpenSSL compares in constant time.
    func finish() -> Bool {
        // GCM writes no final block, but the call needs an output buffer.
        var rest: UInt8 = 0
        var count: Int32 = 0
        let isGood = unsafe EVP_CipherFinal_ex(pointer, &rest, &count) == 1
        if !isGood { ERR_clear_error() }
        return isGood
    }

    /// The tag of the encrypted message.
    func tag(byteCount: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { output, initialized in
            let status = unsafe EVP_CIPHER_CTX_ctrl(
                pointer, EVP_CTRL_AEAD_GET_TAG, Int32(byteCount), output.baseAddress)
            guard status == 1 else { OpenSSLError.trap("EVP_CTRL_AEAD_GET_TAG") }
            initialized = byteCount
        }
    }

    /// Sets the tag that the message to decrypt must have.
    func expect(tag: [UInt8]) {
        var tag = tag
        guard unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 else {
            OpenSSLError.trap("EVP_CTRL_AEAD_SET_TAG")
        }
    }
}

/// A key that encrypts and authenticates with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// The nonce is 12 random bytes for each message. A repeated nonce would break the encryption; SP 800-38D limits a key
/// to 2³² messages with random nonces, far more than there are users.
package struct AES256GCMKey: Sendable {
    package static let byteCount = 32
    static let nonceByteCount = 12
    static let tagByteCount = 16

    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws(KeyError) {
        guard bytes.count == Self.byteCount else { throw .length(bytes: bytes.count) }
        self.bytes = bytes
    }

    /// Returns nonce, ciphertext and tag, concatenated.
    ///
    /// - Parameter data: Additional data to authenticate, such as the id of the owner. It is not part of the result,
    ///   and must be the same when the message is opened.
    package func seal(_ message: [UInt8], with data: [UInt8]) -> [UInt8] {
        seal(message, with: data, nonce: SecureRandom.bytes(Self.nonceByteCount))
    }

    /// With a chosen nonce, for test vectors only.
    func seal(_ message: [UInt8], with data: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let context = CipherContext(.encryption, key: bytes, nonce: nonce)
        context.authenticate(data)
        let ciphertext = context.update(message)
        guard context.finish() else { OpenSSLError.trap("EVP_CipherFinal_ex") }
        return nonce + ciphertext + context.tag(byteCount: Self.tagByteCount)
    }

    /// Decrypts a sealed message. Nil if it was not sealed with this key and this data.
    package func open(_ sealed: [UInt8], with data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceByteCount + Self.tagByteCount else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceByteCount))
        let ciphertext = Array(sealed.dropFirst(Self.nonceByteCount).dropLast(Self.tagByteCount))
        let context = CipherContext(.decryption, key: bytes, nonce: nonce)
        context.expect(tag: Array(sealed.suffix(Self.tagByteCount)))
        context.authenticate(data)
        let message = context.update(ciphertext)
        // The plaintext must not be used before the tag has been verified.
        return context.finish() ? message : nil
    }
}
