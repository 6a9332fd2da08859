/// A login about to be recorded: the session, and what the provider said this time.
package struct NewSession: Sendable {
    package let session: Session
    package let identity: Identity
    /// Fills an empty nickname.
    package let nickname: String?

    package init(session: Session, identity: Identity, nickname: String?) {
        self.session = session
        self.identity = identity
        self.nickname = nickname
    }

    /// What the audit trail says of it.
    package var event: AuditEvent {
        AuditEvent(
            .login, at: session.createdAt, userID: session.userID, sessionID: session.id, provider: session.provider,
            device: session.device)
    }
}
