import Gatehouse

/// A store that fails at whatever its test does not ask for.
protocol PartialStore: Store {}

extension PartialStore {
    private func fail<Answer>(_: Answer.Type = Answer.self) throws(StoreFailure) -> Answer {
        throw StoreFailure("the disk is gone")
    }

    func user(_ id: UserID) throws(StoreFailure) -> User? { try fail() }
    func record(
        _: Login, limit: Int, opening: @escaping (User?) -> NewSession
    ) throws(StoreFailure) -> LoginOutcome { try fail() }
    func update(_: UserID, _: ProfileChange, now: Timestamp) throws(StoreFailure) -> User? { try fail() }
    func delete(_: UserID, asking: AppleTask?, noting: AuditEvent) throws(StoreFailure) -> Deletion? { try fail() }

    func accounts(of user: UserID) throws(StoreFailure) -> [LinkedAccount] { try fail() }
    func link(
        _: Identity, to: UserID, redeeming: Redemption, identityHashes: [[UInt8]], asking: AppleTask?,
        noting: AuditEvent
    ) throws(StoreFailure) -> LinkOutcome { try fail() }
    func unlink(_: Provider, of: UserID, noting: AuditEvent) throws(StoreFailure) -> UnlinkOutcome { try fail() }
    func redeem(_: Redemption, proving: Identity, of: UserID) throws(StoreFailure) -> ProofOutcome { try fail() }
    func apply(
        _: AppleNotification, by: ConsentPolicy, hasher: any IdentityHasher, noting: AuditEvent
    ) throws(StoreFailure) -> [SessionID] { try fail() }

    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? { try fail() }
    func sessions(of user: UserID, aliveAt now: Timestamp) throws(StoreFailure) -> [Session] { try fail() }
    func change(
        _: SessionID, now: Timestamp, by: @escaping (Session, User) -> SessionChange?
    ) throws(StoreFailure) -> (session: Session, user: User, change: SessionChange?)? { try fail() }
    func revoke(_: SessionID, for: RevokeReason, noting: AuditEvent) throws(StoreFailure) -> Bool { try fail() }
    func revokeAll(
        of: UserID, for: RevokeReason, noting: AuditEvent
    ) throws(StoreFailure) -> [SessionID] { try fail() }

    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] { try fail() }
    var revocationSign: UInt64 { 0 }

    func auditEvents(of user: UserID) throws(StoreFailure) -> [AuditEvent] { try fail() }
    func note(_ events: [AuditEvent]) throws(StoreFailure) { try fail(Void.self) }
    func purge(_ limits: PurgeLimits) throws(StoreFailure) -> Bool { try fail() }

    func takeAppleTask(now: Timestamp) throws(StoreFailure) -> AppleTask? { try fail() }
    func finish(_ task: AppleTask) throws(StoreFailure) { try fail(Void.self) }
    func finish(
        _: AppleTask, with: [UInt8], of: String, now: Timestamp
    ) throws(StoreFailure) { try fail(Void.self) }
    func appleTasks() throws(StoreFailure) -> Int { try fail() }
}
