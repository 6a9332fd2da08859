/// Something that is still to be asked of Apple's servers, and is not forgotten when the process ends.
package struct AppleTask: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Of an authorization code, for a refresh token of Apple's.
        case exchange
        /// Of a refresh token of Apple's.
        case revoke
    }

    /// Given by the store.
    package let id: Int64
    package let kind: Kind
    package let userID: UserID
    package let clientID: String
    /// The code or the token, as the vault has sealed it.
    package let sealed: [UInt8]
    package let attempts: Int64
    package let dueAt: Timestamp
    /// When asking is of no use any more.
    package let expiresAt: Timestamp?

    package init(
        id: Int64 = 0, kind: Kind, userID: UserID, clientID: String, sealed: [UInt8], attempts: Int64 = 0,
        dueAt: Timestamp, expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.kind = kind
        self.userID = userID
        self.clientID = clientID
        self.sealed = sealed
        self.attempts = attempts
        self.dueAt = dueAt
        self.expiresAt = expiresAt
    }

    /// How long Apple honours an authorization code.
    package static let codeLifetime = Duration.seconds(300)

    /// How long to wait before the next attempt: short at first, since a code lives five minutes, and then longer, since
    /// Apple may be down for hours and a refresh token can be revoked at any time.
    package var pause: Duration { Self.pause(kind, after: attempts) }

    private static func pause(_ kind: Kind, after attempts: Int64) -> Duration {
        let longest: Int64 = kind == .exchange ? 30 : 3600
        return .seconds(min(longest, 1 << min(attempts, 20)))
    }

    /// When a task was queued that has been tried so often and is due then. Later than it was, by as long as nobody was
    /// there to try.
    package static func queuedAt(_ kind: Kind, attempts: Int64, dueAt: Timestamp) -> Timestamp {
        // All further pauses are as long as the last one that is looked at.
        let single = min(max(0, attempts), 20)
        let pauses = (0..<single).map { pause(kind, after: $0) }.reduce(.zero, +)
        return dueAt - pauses - pause(kind, after: 20) * Int(max(0, attempts) - single)
    }
}
