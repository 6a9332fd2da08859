import Gatehouse
import Synchronization

/// A store that knows nothing but a log of revocations, which a test writes.
final class LogStore: Store {
    private struct State {
        var log: [Revocation] = []
        var sign: UInt64 = 0
        var readings = 0
    }

    private let state = Mutex(State())

    /// How often the log has been read.
    var readings: Int { state.withLock { $0.readings } }

    func append(_ subject: Revocation.Subject, at moment: Timestamp = Timestamp(seconds: 0), signing: Bool = true) {
        state.withLock { state in
            let place = Int64(state.log.count + 1)
            state.log.append(Revocation(place: place, moment: moment, subject: subject))
            if signing { state.sign += 1 }
        }
    }

    func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] {
        state.withLock { state in
            state.readings += 1
            return state.log.filter { $0.place > place }
        }
    }

    var revocationSign: UInt64 { state.withLock { $0.sign } }

    private func nothing<Answer>(_: Answer.Type = Answer.self) throws(StoreFailure) -> Answer {
        throw StoreFailure("not asked for here")
    }

    func user(_ id: UserID) throws(StoreFailure) -> User? { try nothing() }
    func user(provider: Provider, subject: String) throws(StoreFailure) -> User? { try nothing() }
    func create(_ user: User, with login: NewSession) throws(StoreFailure) -> Bool { try nothing() }
    func add(_ login: NewSession) throws(StoreFailure) -> User? { try nothing() }
    func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(StoreFailure) -> User? { try nothing() }
    func delete(_ id: UserID, noting event: AuditEvent) throws(StoreFailure) -> [SessionID]? { try nothing() }
    func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? { try nothing() }
    func sessions(of user: UserID, aliveAt now: Timestamp) throws(StoreFailure) -> [Session] { try nothing() }
    func advance(_: SessionID, to: SessionToken, now: Timestamp) throws(StoreFailure) -> Bool { try nothing() }
    func revoke(_: SessionID, for: RevokeReason, noting: AuditEvent) throws(StoreFailure) -> Bool { try nothing() }
    func revokeAll(of: UserID, for: RevokeReason, noting: AuditEvent) throws(StoreFailure) -> [SessionID] {
        try nothing()
    }
    func note(_ events: [AuditEvent]) throws(StoreFailure) { try nothing(Void.self) }
    func purge(_ limits: PurgeLimits) throws(StoreFailure) -> Bool { try nothing() }
}
