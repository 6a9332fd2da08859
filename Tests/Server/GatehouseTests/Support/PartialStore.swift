import Gatehouse

let storageFailure = Refusal.storageUnavailable(StoreFailure("the disk failed"))

/// A store that fails in every method that the test does not implement.
protocol PartialStore: Store {}

extension PartialStore {
    private func fail<Answer>(_: Answer.Type = Answer.self) throws(Refusal) -> Answer { throw storageFailure }

    func users(_: UserQuery) throws(Refusal) -> [UserRecord] { try fail() }
    func userRecord(_: UserID) throws(Refusal) -> UserRecord? { try fail() }
    func search(_: SupportSearch, after: NicknameCursor?, limit: Int) throws(Refusal) -> [UserMatch] { try fail() }
    func auditPage(_: AuditSelection) throws(Refusal) -> AuditPage { try fail() }
    func record(_: SupportEntry) throws(Refusal) { try fail(Void.self) }
    func perform(
        _: SupportAct, on: UserID, by: SupportActor, recording: SupportEntry,
        unless: @escaping @Sendable (User, User) -> Refusal?
    ) throws(Refusal) -> SupportOutcome { try fail() }
    func mergePlan(of: UserID, into: UserID, now: Timestamp) throws(Refusal) -> MergePlan? { try fail() }
    func merge(
        _: UserMerge, resealing: @escaping Reseal, unless: @escaping @Sendable (User, User) -> Refusal?
    ) throws(Refusal) -> (outcome: SupportOutcome, plan: MergePlan?) { try fail() }
    func unmerge(
        _: UserID, by: SupportActor, now: Timestamp, resealing: @escaping Reseal,
        unless: @escaping @Sendable (User, User) -> Refusal?
    ) throws(Refusal) -> (outcome: SupportOutcome, merge: RecordedMerge?) { try fail() }
    func recordedMerge(of: UserID, now: Timestamp) throws(Refusal) -> RecordedMerge? { try fail() }
    func statistics(from: Timestamp, to: Timestamp) throws(Refusal) -> [HourlyCount] { try fail() }
    func countStatistics(now: Timestamp) throws(Refusal) -> Bool { false }
    func standings() throws(Refusal) -> Standings { try fail() }
    func events(_: EventQuery) throws(Refusal) -> [QueuedEvent] { try fail() }
    func receiverStates() throws(Refusal) -> [ReceiverState] { try fail() }
    func retry(_: EventQuery, now: Timestamp, recording: SupportEntry) throws(Refusal) -> Int { try fail() }

    func user(_ id: UserID) throws(Refusal) -> User? { try fail() }
    func summaries(of: [UserID]) throws(Refusal) -> [UserSummary] { try fail() }
    func record(
        _: Login, limit: Int, by: @escaping (IdentityFacts) -> LoginDecision
    ) throws(Refusal) -> (decision: LoginDecision, ended: [EndedSession]) { try fail() }
    func update(_: UserID, _: ProfileChange, now: Timestamp) throws(Refusal) -> User? { try fail() }
    func setAttributes(_: AttributesChange) throws(Refusal) -> AttributesOutcome { try fail() }
    func delete(_: UserID, queueing: AppleTask?, recording: AuditEntry) throws(Refusal) -> Deletion? { try fail() }

    func accounts(of user: UserID) throws(Refusal) -> [LinkedAccount] { try fail() }
    func record(_: NewLink) throws(Refusal) -> LinkDecision { try fail() }
    func unlink(
        _: Provider, of: UserID, recording: AuditEntry
    ) throws(Refusal) -> (decision: UnlinkDecision, ended: [EndedSession]) { try fail() }
    func apply(_: SecurityEvents, now: Timestamp) throws(Refusal) -> [EndedSession] { try fail() }
    func spend(_: Redemption) throws(Refusal) -> Bool { try fail() }
    func redeem(_: Redemption?, proving: Identity, of: UserID) throws(Refusal) -> Redemption.Use? { try fail() }
    func apply(
        _: AppleNotification, by: ConsentPolicy, hasher: any IdentityHasher, recording: AuditEntry
    ) throws(Refusal) -> [EndedSession] { try fail() }

    func record(
        _: Join, limit: Int, resealing: @escaping @Sendable (_ sealed: [UInt8], _ owner: UserID) -> [UInt8]?,
        by: @escaping (JoinFacts) -> JoinDecision
    ) throws(Refusal) -> (decision: JoinDecision, ended: [EndedSession]) { try fail() }

    func passkey(_: [UInt8]) throws(Refusal) -> (passkey: Passkey, subject: String, user: UserID)? { try fail() }
    func passkeys(of: UserID) throws(Refusal) -> [Passkey] { try fail() }
    func record(_: NewPasskey) throws(Refusal) -> PasskeyDecision { try fail() }
    func rename(passkey: String, of: UserID, to: String?) throws(Refusal) -> Passkey? { try fail() }
    func remove(
        passkey: String, of: UserID, recording: AuditEntry, unlinking: AuditEntry
    ) throws(Refusal) -> (decision: UnlinkDecision?, ended: [EndedSession]) { try fail() }

    func knownNumbers(among: [String]) throws(Refusal) -> Set<String> { try fail() }
    func codeFacts(of: CodeSend, limits: CodeLimits) throws(Refusal) -> CodeFacts { try fail() }
    func record(
        _: CodeSend, limits: CodeLimits, by: @escaping (CodeFacts) -> (CodeDecision, wait: Duration)
    ) throws(Refusal) -> (decision: CodeDecision, wait: Duration) { try fail() }
    func releaseAddress(of: CodeSend, code: [UInt8]) throws(Refusal) { try fail(Void.self) }
    func countTry(ofCode: [UInt8], now: Timestamp) throws(Refusal) -> StoredCode? { try fail() }

    func keep(_: StoredAuthorizationRequest) throws(Refusal) { try fail(Void.self) }
    func takeAuthorizationRequest(
        _: [UInt8], of: Provider, in: [UInt8]
    ) throws(Refusal) -> StoredAuthorizationRequest? { try fail() }
    func keep(_: StoredAuthorizationCode) throws(Refusal) { try fail(Void.self) }
    func authorizationCode(_: [UInt8]) throws(Refusal) -> StoredAuthorizationCode? { try fail() }

    func session(_ id: SessionID) throws(Refusal) -> (session: Session, user: User)? { try fail() }
    func sessions(of user: UserID, aliveAt now: Timestamp) throws(Refusal) -> [Session] { try fail() }
    func refresh(
        _: SessionID, now: Timestamp, by: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? { try fail() }
    func use(
        _: SessionID, now: Timestamp, by: @escaping (Session) -> ProofDecision
    ) throws(Refusal) -> ProofDecision? { try fail() }
    func confirm(_: [TokenConfirmation]) throws(Refusal) { try fail(Void.self) }
    func revoke(_: SessionID, for: RevokeReason, recording: AuditEntry) throws(Refusal) -> Bool { try fail() }
    func revokeAll(
        of: UserID, for: RevokeReason, recording: AuditEntry
    ) throws(Refusal) -> [EndedSession] { try fail() }

    func revocations(after place: Int64) throws(Refusal) -> [Revocation] { try fail() }
    var revocationCounter: UInt64 { 0 }

    func auditEvents(of user: UserID) throws(Refusal) -> [AuditEntry] { try fail() }
    func record(_ events: [AuditEntry]) throws(Refusal) { try fail(Void.self) }
    func purge(_ limits: PurgeLimits) throws(Refusal) -> Bool { try fail() }
    func expireGuests(unusedSince limit: Timestamp, now: Timestamp) throws(Refusal) -> (count: Int, hasMore: Bool) {
        try fail()
    }

    func takeAppleTask(now: Timestamp) throws(Refusal) -> AppleTask? { try fail() }
    func postpone(_: AppleTask, now: Timestamp) throws(Refusal) { try fail(Void.self) }
    func finish(_ task: AppleTask) throws(Refusal) { try fail(Void.self) }
    func finish(
        _: AppleTask, sealing: @escaping @Sendable (_ owner: UserID) -> [UInt8], of: String, now: Timestamp
    ) throws(Refusal) { try fail(Void.self) }
}
