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
