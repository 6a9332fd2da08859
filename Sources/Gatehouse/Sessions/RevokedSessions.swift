import Synchronization

/// The sessions whose access tokens are dead before they expire.
///
/// Small by nature: a session is remembered only as long as an access token of its could still be alive. It stands
/// in memory so that no request needs the database to know that a session has ended.
package final class RevokedSessions: Sendable {
    private struct State {
        var expiry: [SessionID: Timestamp] = [:]
        var pruneAt = 256
    }

    private let lifetime: Duration
    private let state = Mutex(State())

    /// - Parameter lifetime: how long an access token can outlive the end of its session.
    package init(lifetime: Duration) {
        self.lifetime = lifetime
    }

    package func insert(_ id: SessionID, revokedAt: Timestamp) {
        state.withLock { state in
            state.expiry[id] = revokedAt + lifetime
            guard state.expiry.count >= state.pruneAt else { return }
            // Doubling what is left before the next look keeps the cost of pruning constant per insert.
            state.expiry = state.expiry.filter { $0.value >= revokedAt }
            state.pruneAt = max(256, state.expiry.count * 2)
        }
    }

    package func contains(_ id: SessionID) -> Bool {
        state.withLock { $0.expiry[id] != nil }
    }
}
