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
