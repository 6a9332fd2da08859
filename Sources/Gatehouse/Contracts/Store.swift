/// Where users and sessions are kept.
///
/// What returns has been committed and survives a crash. Each call is one transaction. Where several callers may
/// meet, the write itself carries the condition and says by its result whether it held; the caller then looks again.
package protocol Store: Sendable {
    func user(_ id: UserID) throws(StoreFailure) -> User?

    /// The user who signs in by this identity.
    func user(provider: Provider, subject: String) throws(StoreFailure) -> User?

    /// Creates the user with identity and session. False, and nothing done, where the identity already has a user.
    func create(_ user: User, with login: NewSession) throws(StoreFailure) -> Bool

    /// Adds a session to an active user, refreshes what the identity says and fills empty fields of the user, whom
    /// it returns as they are then. Nil, and nothing done, where the user is no longer active or not theirs any more.
    func add(_ login: NewSession) throws(StoreFailure) -> User?

    /// A session and its user, alive or not.
    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)?

    /// Moves a living session from one generation to the next. False, and nothing done, where it has moved already.
    func advance(_ id: SessionID, to token: SessionToken, now: Timestamp) throws(StoreFailure) -> Bool

    /// Ends a session that has not ended yet. False where it had, or where there is none.
    func revoke(_ id: SessionID, for reason: RevokeReason, now: Timestamp) throws(StoreFailure) -> Bool

    /// The sessions that ended by revocation at or after a moment, and when.
    func sessionsRevoked(since moment: Timestamp) throws(StoreFailure) -> [(SessionID, Timestamp)]
}
