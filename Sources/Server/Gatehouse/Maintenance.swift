extension AuthService {
    /// Whether `followRevocations` must run: other machines add to the revocation log.
    package var hasOtherNodes: Bool { store.isShared }

    /// How long ago the revocations of other nodes were read; nil without other nodes.
    package var revocationAge: Duration? { revocations.age }

    /// Waits at most a second for a revocation by another node, and reads the log. It has a thread of its own, because
    /// maintenance may wait for a write.
    package func followRevocations() throws(Refusal) {
        store.waitForRevocations(atMost: .seconds(1))
        try revocations.catchUp()
    }

    /// The periodic work, once a second: renews connections, reads the revocation log, writes confirmations, writes
    /// refusals to the audit trail and deletes expired rows. True when there is more to delete.
    package func runMaintenance() throws(Refusal) -> Bool {
        // First, so that no other failure keeps this node on a primary that was replaced.
        store.renewConnections()
        // With other nodes, `followRevocations` reads the log.
        if !store.isShared { try revocations.catchUp() }
        // A locked session must not prevent the rest of the work.
        let written = Result { () throws(Refusal) in try confirmations.write(to: store) }
        try record(refusals.take(now: platform.now()))
        // Before the purge deletes what is counted. It needs no second clock, as it deletes nothing.
        let hasMoreToCount = try store.countStatistics(now: platform.now())
        let hasMore = try purge()
        try written.get()
        return hasMore || hasMoreToCount
    }

    /// Deletes expired rows, if two clocks agree on the time. True when there is more to delete.
    private func purge() throws(Refusal) -> Bool {
        guard let now = try clocks.confirmedNow() else { return false }
        let hasMore = try store.purge(
            PurgeLimits(
                now: now,
                // A minute after the expiry, so that the last use of a token still gets `refresh_token_expired`.
                sessionsExpired: now - .seconds(60), redemptionsExpired: now - .seconds(300),
                revocationsBefore: now - Policy.revocationMemory,
                auditEventsBefore: now - policy.auditRetention,
                codeSendsBefore: now - CodeLimits.knownNetworkMemory))
        let guests = try store.expireGuests(unusedSince: now - policy.guests.lifetime, now: now)
        if guests.count > 0 { report(.guests(.expired, count: guests.count), nil) }
        return hasMore || guests.hasMore
    }

    /// Writes all waiting confirmations and refusals, before the process ends.
    package func flush() throws(Refusal) {
        let written = Result { () throws(Refusal) in try confirmations.write(to: store) }
        try record(refusals.takeAll())
        try written.get()
    }

    private func record(_ refusals: [AuditEntry]) throws(Refusal) {
        if !refusals.isEmpty { try store.record(refusals) }
    }
}

/// Rows older than these limits are deleted. They come from a clock that agrees with a second one.
package struct PurgeLimits: Sendable, Equatable {
    package let now: Timestamp
    /// For sessions: when their last token expired.
    package let sessionsExpired: Timestamp
    /// For redemptions: when the identity token and its challenge have expired.
    package let redemptionsExpired: Timestamp
    package let revocationsBefore: Timestamp
    /// Also the limit for the ids of Apple's notifications: a repeat is recognised for as long as the audit trail
    /// contains the first one.
    package let auditEventsBefore: Timestamp
    package let codeSendsBefore: Timestamp

    /// - Parameter now: nil for the latest of the limits.
    package init(
        now: Timestamp? = nil, sessionsExpired: Timestamp, redemptionsExpired: Timestamp,
        revocationsBefore: Timestamp, auditEventsBefore: Timestamp, codeSendsBefore: Timestamp? = nil
    ) {
        self.now = now ?? max(sessionsExpired, redemptionsExpired, revocationsBefore, auditEventsBefore)
        self.sessionsExpired = sessionsExpired
        self.redemptionsExpired = redemptionsExpired
        self.revocationsBefore = revocationsBefore
        self.auditEventsBefore = auditEventsBefore
        self.codeSendsBefore = codeSendsBefore ?? revocationsBefore
    }
}
