/// What a login opens, and for whom.
package struct NewSession: Sendable {
    /// The one who was known, or somebody new.
    package let user: User
    package let session: Session
    package let task: AppleTask?

    package init(of user: User, _ session: Session, task: AppleTask? = nil) {
        self.user = user
        self.session = session
        self.task = task
    }

    /// What the audit trail says of it.
    package var event: AuditEvent {
        AuditEvent(
            .login, at: session.createdAt, userID: session.userID, sessionID: session.id, provider: session.provider,
            device: session.device)
    }
}
