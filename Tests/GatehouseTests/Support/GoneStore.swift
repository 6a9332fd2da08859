import Gatehouse
import Synchronization

/// A store whose disk is gone: it went right after the start.
final class GoneStore: Store {
    private let signs = Atomic<UInt64>(0)
    private let hasStarted = Atomic(false)

    private func fail<Answer>(_: Answer.Type = Answer.self) throws(StoreFailure) -> Answer {
        throw StoreFailure("the disk is gone")
    }

    func user(_ id: UserID) throws(StoreFailure) -> User? { try fail() }
    func user(provider: Provider, subject: String) throws(StoreFailure) -> User? { try fail() }
    func create(_ user: User, with login: NewSession) throws(StoreFailure) -> Bool { try fail() }
    func add(_ login: NewSession) throws(StoreFailure) -> User? { try fail() }
    func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(StoreFailure) -> User? { try fail() }
    func delete(_ id: UserID, noting event: AuditEvent) throws(StoreFailure) -> [SessionID]? { try fail() }
    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? { try fail() }
    func sessions(of user: UserID, aliveAt now: Timestamp) throws(StoreFailure) -> [Session] { try fail() }
    func advance(_ id: SessionID, to token: SessionToken, now: Timestamp) throws(StoreFailure) -> Bool { try fail() }
    func revoke(_ id: SessionID, for: RevokeReason, noting: AuditEvent) throws(StoreFailure) -> Bool { try fail() }
    func revokeAll(of: UserID, for: RevokeReason, noting: AuditEvent) throws(StoreFailure) -> [SessionID] { try fail() }
    func note(_ events: [AuditEvent]) throws(StoreFailure) { try fail(Void.self) }
    func purge(_ limits: PurgeLimits) throws(StoreFailure) -> Bool { try fail() }

    /// The one question asked at start, while the disk was there.
    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] {
        try hasStarted.exchange(true, ordering: .relaxed) ? fail() : []
    }

    var revocationSign: UInt64 { signs.load(ordering: .relaxed) }

    func sign() { signs.add(1, ordering: .relaxed) }
}
