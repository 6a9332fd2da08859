import Synchronization

/// A secret that authenticates messages with HMAC-SHA-256.
///
/// Deriving the inner and outer state from the secret is most of the work for a message as short as a token, so keyed
/// contexts are kept and lent out: as many exist as callers were ever busy at once.
package final class HMACSHA256Key: Sendable {
    private let secret: [UInt8]
    private let idle: Mutex<[MACContext]>

    /// - Precondition: The secret is not empty. How long it must be is for the caller to say.
    package init(_ secret: [UInt8]) {
        precondition(!secret.isEmpty, "an empty secret authenticates nothing")
        self.secret = secret
        idle = Mutex([MACContext(secret: secret)])
    }

    package func authenticate(_ bytes: [UInt8]) -> [UInt8] { authenticate(bytes.span) }

    package func authenticate(_ bytes: Span<UInt8>) -> [UInt8] {
        let context = idle.withLock { $0.popLast() } ?? MACContext(secret: secret)
        defer { idle.withLock { $0.append(context) } }
        return context.authenticate(bytes)
    }

    /// Compares in constant time; a tag of any other length than 32 bytes is not valid.
    package func isValid(tag: [UInt8], for bytes: [UInt8]) -> Bool {
        constantTimeEquals(tag, authenticate(bytes))
    }
}
