/// Where users and sessions are kept.
///
/// What returns has been committed and survives a crash. Each call is one transaction. Where several callers may
/// meet, the write itself carries the condition and says by its result whether it held. Or the write asks the caller what
/// to do about what it finds, while nobody else can change it. It may ask on any thread, and again where the transaction has
/// to begin anew: the last answer counts. Whoever is asked does nothing but decide, and asks nothing of the store.
/// A write that takes an event enters it into the audit trail in the same transaction, if it has changed anything.
package protocol Store: AppleQueue {
    // MARK: Users

    func user(_ id: UserID) throws(StoreFailure) -> User?

    /// Records a login with the session that is opened for the identity's active user, whose empty fields it fills; or for
    /// the new user who is brought along where the identity has none. Uses up what is to be redeemed, unless nothing else was
    /// done. Of more living sessions than the limit, those end that were not used for the longest time.
    func record(
        _ login: Login, limit: Int, opening session: @escaping (_ known: User?) -> NewSession
    ) throws(StoreFailure) -> LoginOutcome

    /// Changes an active user, whom it returns as they are then. Nil, and nothing done, where there is none.
    func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(StoreFailure) -> User?

    /// Takes everything personal from a user, and their identities and sessions, and queues what Apple is to be told; with
    /// the task given, where there is nothing better. Nil, and nothing done, where there is no such user any more.
    func delete(_ id: UserID, asking task: AppleTask?, noting event: AuditEvent) throws(StoreFailure) -> Deletion?

    // MARK: Ways of signing in

    func accounts(of user: UserID) throws(StoreFailure) -> [LinkedAccount]

    /// Gives a user another way of signing in.
    func link(
        _ identity: Identity, to user: UserID, redeeming: Redemption, identityHashes: [[UInt8]],
        asking task: AppleTask?, noting event: AuditEvent
    ) throws(StoreFailure) -> LinkOutcome

    /// Takes a way of signing in from a user, unless it is the last one, and queues what Apple is to be told.
    func unlink(
        _ provider: Provider, of user: UserID, noting event: AuditEvent
    ) throws(StoreFailure) -> UnlinkOutcome

    /// Uses up an identity token that proves a user's login anew. The grace of the token ends with the account.
    func redeem(_ redemption: Redemption, proving identity: Identity, of user: UserID) throws(StoreFailure)
        -> ProofOutcome

    /// Does what a notification is about, once. The sessions that ended by it. An identity that is taken from a disabled
    /// user is barred by its hashes.
    func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, hasher: any IdentityHasher,
        noting event: AuditEvent
    ) throws(StoreFailure) -> [SessionID]

    // MARK: Sessions

    /// A session and its user, alive or not.
    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)?

    /// The sessions of a user that are alive at a moment, the one used last first.
    func sessions(of user: UserID, aliveAt now: Timestamp) throws(StoreFailure) -> [Session]

    /// Does to a living session what is decided on seeing it. Nil where there is no such session; else what was seen, and
    /// what was done.
    func change(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> SessionChange?
    ) throws(StoreFailure) -> (session: Session, user: User, change: SessionChange?)?

    /// Ends a session that has not ended yet. False where it had, or where there is none.
    func revoke(_ id: SessionID, for reason: RevokeReason, noting event: AuditEvent) throws(StoreFailure) -> Bool

    /// Ends all sessions of a user that have not ended yet: these.
    func revokeAll(
        of user: UserID, for reason: RevokeReason, noting event: AuditEvent
    ) throws(StoreFailure) -> [SessionID]

    // MARK: What has ended

    /// The log of revocations behind a place, in its order. An entry is kept for as long as access tokens live.
    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation]

    /// Changes at once when another process has added to the log and says so; not every process does. It is looked at
    /// for every guarded request, and is no read of the database.
    var revocationSign: UInt64 { get }

    // MARK: Keeping house

    /// Everything that is noted of a user, in the order in which it happened.
    func auditEvents(of user: UserID) throws(StoreFailure) -> [AuditEvent]

    /// Enters events into the audit trail that belong to no other change.
    func note(_ events: [AuditEvent]) throws(StoreFailure)

    /// Removes a little of what is older than it need be, keeping other writes waiting for no more than some
    /// milliseconds. True where there is more.
    func purge(_ limits: PurgeLimits) throws(StoreFailure) -> Bool
}
