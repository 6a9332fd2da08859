/// A secret that authenticates messages with HMAC-SHA-256 (RFC 2104).
///
/// Hashing the padded secret is most of the work for a message as short as a token, so it is done once, and each message
/// goes on from copies of that.
package final class HMACSHA256Key: Sendable {
    private static let blockByteCount = 64

    private let inner: SHA256State
    private let outer: SHA256State

    /// - Precondition: The secret is not empty. How long it must be is for the caller to say.
    package init(_ secret: [UInt8]) {
        precondition(!secret.isEmpty, "an empty secret authenticates nothing")
        let key = secret.count > Self.blockByteCount ? SHA256.hash(secret) : secret
        inner = Self.beginning(key, paddedWith: 0x36)
        outer = Self.beginning(key, paddedWith: 0x5C)
    }

    package func authenticate(_ bytes: [UInt8]) -> [UInt8] { Array(copying: tag(of: bytes.span).span) }

    /// Compares in constant time; a tag of any other length than 32 bytes is not valid.
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

    private static func beginning(_ key: [UInt8], paddedWith pad: UInt8) -> SHA256State {
        var block = [UInt8](repeating: pad, count: blockByteCount)
        for index in key.indices { block[index] ^= key[index] }
        var state = SHA256State()
        state.update(block.span)
        return state
    }
}
