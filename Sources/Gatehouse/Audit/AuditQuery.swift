/// Which part of the audit trail somebody wants to see.
package struct AuditQuery: Sendable, Equatable {
    package var userID: UserID?
    package var kind: AuditEvent.Kind?
    package var since: Timestamp?
    /// The latest so many.
    package var limit: Int

    package init(userID: UserID? = nil, kind: AuditEvent.Kind? = nil, since: Timestamp? = nil, limit: Int) {
        self.userID = userID
        self.kind = kind
        self.since = since
        self.limit = limit
    }
}
