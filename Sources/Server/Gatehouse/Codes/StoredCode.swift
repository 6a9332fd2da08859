/// A code as the store keeps it: without the code and without the id, which only the asking device has.
package struct StoredCode: Sendable, Equatable {
    package static let lifetime = Duration.seconds(600)
    /// A code with less time left is not sent again: the message would arrive too late.
    static let leastTimeForResend = Duration.seconds(120)
    /// Counted over all messages that contain the code.
    package static let permittedTries = 5

    /// SHA-256 of the id.
    package var idHash: [UInt8]
    package var address: CodeAddress
    /// With the key and the id, it gives the code.
    package var seed: [UInt8]
    /// An HMAC of id and code.
    package var hash: [UInt8]
    package var tries: Int
    package var expiresAt: Timestamp

    package init(
        idHash: [UInt8], address: CodeAddress, seed: [UInt8], hash: [UInt8], tries: Int = 0, expiresAt: Timestamp
    ) {
        self.idHash = idHash
        self.address = address
        self.seed = seed
        self.hash = hash
        self.tries = tries
        self.expiresAt = expiresAt
    }

    /// A code that ends later than any that is made now was made by a clock that was wrong.
    package func isAlive(now: Timestamp) -> Bool {
        now < expiresAt && expiresAt <= Self.latestExpiry(now: now) && tries < Self.permittedTries
    }

    package static func latestExpiry(now: Timestamp) -> Timestamp { now + lifetime + ClockAgreement.readinessLimit }

    package func isResendable(to other: CodeAddress, now: Timestamp) -> Bool {
        address == other && isAlive(now: now) && now + Self.leastTimeForResend <= expiresAt
    }
}

/// A request for a code, as the store counts it.
package struct CodeSend: Sendable {
    /// SHA-256 of the id that a new code would have.
    package let idHash: [UInt8]
    /// SHA-256 of the id of the code that is to be sent again; nil for none.
    package let resentHash: [UInt8]?
    package let address: CodeAddress
    package let keys: CodeKeys
    package let moment: Timestamp

    package init(
        idHash: [UInt8], resentHash: [UInt8]?, address: CodeAddress, keys: CodeKeys, moment: Timestamp
    ) {
        self.idHash = idHash
        self.resentHash = resentHash
        self.address = address
        self.keys = keys
        self.moment = moment
    }
}

package enum CodeDecision: Sendable {
    /// A new code, which the store keeps.
    case send(StoredCode)
    /// The code that was sent before.
    case resend(StoredCode)
    case refuse(CodeLimitReached)
}

/// Makes codes and recognises them. `JWTTokenService` implements it, with a key that is used for nothing else.
package protocol CodeService: Sendable {
    /// A code of six digits, and the hash that the store keeps.
    func code(seed: [UInt8], id: String) -> (text: String, hash: [UInt8])

    /// The code with this hash, made with any of the configured secrets; nil if none gives the hash.
    func code(seed: [UInt8], id: String, hashedAs hash: [UInt8]) -> String?

    /// The hash of a code that was not made from a seed.
    func hash(ofCode text: String, id: String) -> [UInt8]

    /// Compares in constant time.
    func isCode(_ text: String, id: String, hashedAs hash: [UInt8]) -> Bool
}
