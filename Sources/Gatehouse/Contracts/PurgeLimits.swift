/// Until when things are kept.
package struct PurgeLimits: Sendable, Equatable {
    /// Sessions go when their last token has expired before this.
    package let sessionsExpired: Timestamp
    /// What has been redeemed goes when it is worth nothing by itself since before this.
    package let redemptionsExpired: Timestamp
    package let revocationsBefore: Timestamp
    /// Also of Apple's notifications: as long as we can say what we did about one, we know that we have seen it.
    package let auditEventsBefore: Timestamp

    package init(
        sessionsExpired: Timestamp, redemptionsExpired: Timestamp, revocationsBefore: Timestamp,
        auditEventsBefore: Timestamp
    ) {
        self.sessionsExpired = sessionsExpired
        self.redemptionsExpired = redemptionsExpired
        self.revocationsBefore = revocationsBefore
        self.auditEventsBefore = auditEventsBefore
    }
}
