/// The database of users and sessions. `SQLiteStore` and `PostgreSQLStore` implement it.
///
/// Each call is one transaction. When a call returns, it has been committed and survives a crash. A write that takes an
/// audit event records it in the same transaction, if it changed anything.
///
/// A write that depends on the current row contains the condition, and its result says whether the condition held. Or
/// it takes a closure that decides about the row, while no other write can change that row. The store may call the
/// closure on any thread, and again when it has to repeat the transaction. The last call counts, so the closure must
/// have no other effect, and must not use the store.
///
/// All methods throw `.storageUnavailable` and no other refusal. Then nothing has been written. A caller must not treat
/// a failure as "there is no such row".
package protocol Store: PasskeyStore, SupportStore {
    // MARK: Users

    func user(_ id: UserID) throws(Refusal) -> User?

    /// What services may know of these users, deleted ones among them, in any order. Unknown ids are left out. The ids
    /// differ, and none contains a NUL.
    func summaries(of ids: [UserID]) throws(Refusal) -> [UserSummary]

    /// Decides a login, and writes what it accepts: the user, the account, the session. Redeems the login's redemption.
    /// When the user then has more sessions than the limit, those not used for the longest time end.
    func record(
        _ login: Login, limit: Int, by decide: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession])

    /// Changes an active user and returns the new state; nil when there is no such user.
    func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(Refusal) -> User?

    /// Replaces the attributes of a user who is not deleted, and counts their version up.
    func setAttributes(_ change: AttributesChange) throws(Refusal) -> AttributesOutcome

    /// Anonymises a user, deletes their accounts and sessions, and queues the revocation at Apple; `task` is queued
    /// when the store has no Apple token of its own to revoke. Nil when the user is deleted already, or when the session in the event
    /// has ended: what a session asks for is refused in the transaction if the session, or its user, is not active any more.
    func delete(_ id: UserID, queueing task: AppleTask?, recording event: AuditEntry) throws(Refusal) -> Deletion?

    // MARK: Accounts

    func accounts(of user: UserID) throws(Refusal) -> [LinkedAccount]

    /// Links an account as `NewLink.decide(on:)` says, if the session in the event has not ended.
    func record(_ link: NewLink) throws(Refusal) -> LinkDecision

    /// Unlinks an account as `UnlinkDecision` says, if the session in the event has not ended, and queues the revocation at Apple. Returns the sessions that ended: those
    /// which the account opened, except the one in the event.
    func unlink(
        _ provider: Provider, of user: UserID, recording event: AuditEntry
    ) throws(Refusal) -> (decision: UnlinkDecision, ended: [EndedSession])

    /// Redeems a code. False if it has been redeemed before.
    func spend(_ redemption: Redemption) throws(Refusal) -> Bool

    /// Redeems an identity token that proves a user's login again, unless it is used already. Its replay grace ends when the
    /// account is unlinked. Nil if the identity is not the user's.
    func redeem(
        _ redemption: Redemption?, proving identity: Identity, of user: UserID
    ) throws(Refusal) -> Redemption.Use?

    /// Applies a notification once and returns the sessions that it ended. When it takes an identity from a disabled
    /// user, the hashes of that identity stay barred.
    func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, hasher: any IdentityHasher,
        recording event: AuditEntry
    ) throws(Refusal) -> [EndedSession]

    /// Applies a provider's message once and returns the sessions that it ended.
    func apply(_ events: SecurityEvents, now: Timestamp) throws(Refusal) -> [EndedSession]

    /// Moves the accounts of a new user to the user who has an address, ends the new one, and opens a session, as `Join` says.
    /// Returns the sessions that ended.
    ///
    /// - Parameter reseal: encrypts what Apple gave to the new user for the other one; nil for what cannot be decrypted.
    func record(
        _ join: Join, limit: Int,
        resealing reseal: @escaping @Sendable (_ sealed: [UInt8], _ owner: UserID) -> [UInt8]?,
        by decide: @escaping (JoinFacts) -> JoinDecision
    ) throws(Refusal) -> (decision: JoinDecision, ended: [EndedSession])

    // MARK: Codes

    /// Those of some phone numbers that an account has.
    func knownNumbers(among numbers: [String]) throws(Refusal) -> Set<String>

    /// What is known about the messages with codes so far. It may be out of date when a message is recorded.
    func codeFacts(of send: CodeSend, limits: CodeLimits) throws(Refusal) -> CodeFacts

    /// Decides about a message while no other one is decided, and counts it.
    func record(
        _ send: CodeSend, limits: CodeLimits, by decide: @escaping (CodeFacts) -> (CodeDecision, wait: Duration)
    ) throws(Refusal) -> (decision: CodeDecision, wait: Duration)

    /// Lets an address have its next message at once, because this one was not sent. It counts on for all else, and a new code is
    /// removed.
    func releaseAddress(of send: CodeSend, code idHash: [UInt8]) throws(Refusal)

    /// Counts a try, and returns the code. Nil if there is none, or no further try is permitted.
    func countTry(ofCode idHash: [UInt8], now: Timestamp) throws(Refusal) -> StoredCode?

    // MARK: Signing in through a browser

    func keep(_ request: StoredAuthorizationRequest) throws(Refusal)

    /// Removes the request of a state and returns it. Nil if there is none, or if it is another provider's or another
    /// browser's, which then stays.
    func takeAuthorizationRequest(
        _ stateHash: [UInt8], of provider: Provider, in browserHash: [UInt8]
    ) throws(Refusal) -> StoredAuthorizationRequest?

    func keep(_ code: StoredAuthorizationCode) throws(Refusal)

    /// A code, also one that is used or expired. A login that redeems it writes its session into it.
    func authorizationCode(_ hash: [UInt8]) throws(Refusal) -> StoredAuthorizationCode?

    // MARK: Sessions

    /// A session and its user, also when the session has ended.
    func session(_ id: SessionID) throws(Refusal) -> (session: Session, user: User)?

    /// The active sessions of a user, the most recently used first.
    func sessions(of user: UserID, aliveAt now: Timestamp) throws(Refusal) -> [Session]

    /// Decides a refresh while nothing else can change the session, and writes the session of the decision. Nil when
    /// there is no such session.
    func refresh(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh?

    /// Decides about a proof for a session while nothing else can change the session, and writes the session of the decision.
    /// Nil when there is no such session.
    func use(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session) -> ProofDecision
    ) throws(Refusal) -> ProofDecision?

    /// Records that clients have used the tokens of these generations. Of a session that has advanced since, nothing is
    /// recorded.
    func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal)

    /// Ends a session. False when it had ended already, or does not exist.
    func revoke(_ id: SessionID, for reason: RevokeReason, recording event: AuditEntry) throws(Refusal) -> Bool

    /// Ends all active sessions of a user and returns them.
    func revokeAll(
        of user: UserID, for reason: RevokeReason, recording event: AuditEntry
    ) throws(Refusal) -> [EndedSession]

    // MARK: Revocations

    /// The entries of the revocation log after a position, in order. An entry is kept for as
    /// long as access tokens live.
    func revocations(after place: Int64) throws(Refusal) -> [Revocation]

    /// Whether other machines add to the log.
    var isShared: Bool { get }

    /// Whether another server may have become the primary, and contain newer data than the one that answers.
    var mayBeBehind: Bool { get }

    /// Returns when another machine may have added to the log, or after this time. Only for a shared store.
    func waitForRevocations(atMost time: Duration)

    /// Changes when another process has added to the revocation log. It is read for every guarded request, so reading
    /// it must not access the database. Not every process changes it, so the log must also be polled.
    var revocationCounter: UInt64 { get }

    // MARK: Apple outbox

    /// Takes the first task that is due. No other caller takes it within `AppleTask.lease`. It is taken again unless it
    /// is finished by then, for example because the process has ended.
    func takeAppleTask(now: Timestamp) throws(Refusal) -> AppleTask?

    /// Makes a task that has failed due again after its backoff.
    func postpone(_ task: AppleTask, now: Timestamp) throws(Refusal)

    /// Removes a task that is done, or that cannot succeed.
    func finish(_ task: AppleTask) throws(Refusal)

    /// Keeps Apple's refresh token for the user's account and removes the task. When the user or the account is gone, a
    /// revocation of that token is queued instead, unless the token belongs to another user.
    ///
    /// - Parameter seal: encrypts the token for a user: the task's, or the one whom that user has joined meanwhile.
    func finish(
        _ exchange: AppleTask, sealing seal: @escaping @Sendable (_ owner: UserID) -> [UInt8], of subject: String,
        now: Timestamp
    ) throws(Refusal)

    // MARK: Clocks

    /// The time by the clock of the database; nil for a database that has none of its own.
    func readClock() throws(Refusal) -> Timestamp?

    /// The last time known in a database without a clock; nil if it contains nothing.
    func lastKnownTime() throws(Refusal) -> KnownTime?

    func keep(_ time: KnownTime) throws(Refusal)

    /// Publishes how far the clock of this node is ahead of the database's. Returns what the other nodes published within
    /// the last minute.
    func exchangeClockReports(_ lead: Duration, of node: String) throws(Refusal) -> [Duration]

    // MARK: Audit trail and maintenance

    /// The audit trail of a user, the oldest event first.
    func auditEvents(of user: UserID) throws(Refusal) -> [AuditEntry]

    /// Records events that are not part of another change.
    func record(_ events: [AuditEntry]) throws(Refusal)

    /// Looks for a server that has become the primary, and opens connections that were lost. No request waits for it.
    func renewConnections()

    /// Deletes one batch of expired rows, small enough to delay other writes by no more than some milliseconds. True
    /// when there is more to delete.
    func purge(_ limits: PurgeLimits) throws(Refusal) -> Bool

    /// Deletes one batch of the guests who have neither signed in nor refreshed since. Returns how many, and whether there may
    /// be more.
    func expireGuests(unusedSince limit: Timestamp, now: Timestamp) throws(Refusal) -> (count: Int, hasMore: Bool)
}

/// A store that only this machine uses.
extension Store {
    package var isShared: Bool { false }

    package var mayBeBehind: Bool { false }

    package func waitForRevocations(atMost time: Duration) {}

    package func renewConnections() {}

    package func readClock() throws(Refusal) -> Timestamp? { nil }

    package func lastKnownTime() throws(Refusal) -> KnownTime? { nil }

    package func keep(_ time: KnownTime) throws(Refusal) {}

    package func exchangeClockReports(_ lead: Duration, of node: String) throws(Refusal) -> [Duration] { [] }
}

/// Bytes that are kept under a name in the database.
package struct Document: Sendable, Equatable {
    package let content: [UInt8]
    /// Of a key set: when it was last fetched.
    package let updatedAt: Timestamp

    package init(content: [UInt8], updatedAt: Timestamp) {
        (self.content, self.updatedAt) = (content, updatedAt)
    }
}
