/// Everything that is held about a user, at a moment.
package struct UserExport: Sendable {
    package let user: User
    package let accounts: [LinkedAccount]
    package let sessions: [Session]
    package let events: [AuditEvent]
    package let moment: Timestamp
}
