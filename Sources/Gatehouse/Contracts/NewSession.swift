/// A login about to be recorded: the session, and what the provider said this time.
package struct NewSession: Sendable {
    package let session: Session
    package let identity: Identity
    /// Fills an empty nickname.
    package let nickname: String?
    /// The user to be made, where the identity has none.
    package var newUser: User?
    package var redemption: Redemption?
    package var task: AppleTask?

    package init(
        session: Session, identity: Identity, nickname: String?, newUser: User? = nil,
        redemption: Redemption? = nil, task: AppleTask? = nil
    ) {
        self.session = session
        self.identity = identity
        self.nickname = nickname
        self.newUser = newUser
        self.redemption = redemption
        self.task = task
    }

    /// What the audit trail says of it.
    package var event: AuditEvent {
        AuditEvent(
            .login, at: session.createdAt, userID: session.userID, sessionID: session.id, provider: session.provider,
            device: session.device)
    }
}
