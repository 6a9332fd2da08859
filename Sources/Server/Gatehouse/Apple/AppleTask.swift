/// A request to Apple's servers. It is kept in the database (the outbox), so that it survives a restart.
package struct AppleTask: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Exchanges an authorization code for Apple's refresh token.
        case exchange
        /// Revokes Apple's refresh token.
        case revoke
    }

    /// Assigned by the store.
    package let id: Int64
    package let kind: Kind
    package let userID: UserID
    package let clientID: String
    /// The code or the token, encrypted by the vault.
    package let sealed: [UInt8]
    package let attempts: Int64
    package let dueAt: Timestamp
    /// When maintenance may delete the task, because Apple no longer accepts its code; nil for a task that does not expire.
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

    /// How long Apple accepts an authorization code.
    package static let codeLifetime = Duration.seconds(300)

    /// How long a task belongs to the node that has taken it: longer than a request to Apple can take.
    package static let lease = Duration.seconds(10)

    /// The delay before the next attempt. It doubles up to 30 s for an exchange, because a code lives five minutes, and
    /// up to an hour for a revocation, which Apple accepts at any time.
    package var backoff: Duration { Self.backoff(kind, after: attempts) }

    /// No task that was written by a correct clock is due later than this.
    package static let longestBackoff = Duration.seconds(3600)

    private static func backoff(_ kind: Kind, after attempts: Int64) -> Duration {
        let longest: Int64 = kind == .exchange ? 30 : 3600
        return .seconds(min(longest, 1 << min(attempts, 20)))
    }

    /// The time at which a task was queued, computed from its attempts. It is too late if no server was running for
    /// some time since, and by the lease while a node performs the task.
    package static func queuedAt(_ kind: Kind, attempts: Int64, dueAt: Timestamp) -> Timestamp {
        // The delays after the twentieth attempt are all equal.
        let single = min(max(0, attempts), 20)
        let delays = (0..<single).map { backoff(kind, after: $0) }.reduce(.zero, +)
        return dueAt - delays - backoff(kind, after: 20) * Int(max(0, attempts) - single)
    }
}
