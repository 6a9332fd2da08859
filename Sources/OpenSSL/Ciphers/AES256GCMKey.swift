/// A key that encrypts and authenticates with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// The nonce is 12 random bytes, made for each message. One that comes twice would give the key's secrets away, which
/// by chance has to be reckoned with after 2³² messages: far more than there are users.
package struct AES256GCMKey: Sendable {
    package static let byteCount = 32
    static let nonceByteCount = 12
    static let tagByteCount = 16

    private let bytes: [UInt8]

    package init(_ bytes: [UInt8]) throws(KeyError) {
        guard bytes.count == Self.byteCount else { throw .length(bytes: bytes.count) }
        self.bytes = bytes
    }

    /// Nonce, ciphertext and tag in a row.
    /// - Parameter data: What it belongs to. It is not in the result, and has to be the same when that is opened.
    package func seal(_ message: [UInt8], with data: [UInt8]) -> [UInt8] {
        seal(message, with: data, nonce: SecureRandom.bytes(Self.nonceByteCount))
    }

    /// For vectors, which come with nonces. Nobody else may choose one.
    func seal(_ message: [UInt8], with data: [UInt8], nonce: [UInt8]) -> [UInt8] {
        let context = CipherContext(.encryption, key: bytes, nonce: nonce)
        context.authenticate(data)
        let ciphertext = context.update(message)
        guard context.finish() else { OpenSSLError.trap("EVP_CipherFinal_ex") }
        return nonce + ciphertext + context.tag(byteCount: Self.tagByteCount)
    }

    /// Nil for anything that this key did not seal with these data.
    package func open(_ sealed: [UInt8], with data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= Self.nonceByteCount + Self.tagByteCount else { return nil }
        let nonce = Array(sealed.prefix(Self.nonceByteCount))
        let ciphertext = Array(sealed.dropFirst(Self.nonceByteCount).dropLast(Self.tagByteCount))
        let context = CipherContext(.decryption, key: bytes, nonce: nonce)
        context.expect(tag: Array(sealed.suffix(Self.tagByteCount)))
        context.authenticate(data)
        let message = context.update(ciphertext)
        // Until the tag has been found right, what was decrypted may be anything.
        return context.finish() ? message : nil
    }
}
