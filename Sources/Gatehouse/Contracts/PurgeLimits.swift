/// Until when things are kept.
package struct PurgeLimits: Sendable, Equatable {
    /// Sessions go when their last token has expired before this.
    package let sessionsExpired: Timestamp
    package let revocationsBefore: Timestamp
    package let auditEventsBefore: Timestamp

    package init(sessionsExpired: Timestamp, revocationsBefore: Timestamp, auditEventsBefore: Timestamp) {
        self.sessionsExpired = sessionsExpired
        self.revocationsBefore = revocationsBefore
        self.auditEventsBefore = auditEventsBefore
    }
}
