package import Gatehouse
import SQL
import SQLite

/// Reads of a user, refreshes and confirmations. PostgreSQL has its own implementations, which work in batches.
///
/// Not in an extension of `RelationalStore`: unspecialised, each call would look up the types of its results.
extension SQLiteStore {
    package func user(_ id: UserID) throws(Refusal) -> User? {
        try refusing { () throws(StoreFailure) in try read { try $0.user(id) } }
    }

    package func summaries(of ids: [UserID]) throws(Refusal) -> [UserSummary] {
        try refusing { () throws(StoreFailure) in
            try read { connection in try ids.compactMap { try connection.summary(of: $0) } }
        }
    }

    package func refresh(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> RefreshDecision
    ) throws(Refusal) -> DecidedRefresh? {
        try refusing { () throws(StoreFailure) in try write { try $0.refresh(id, now: now, by: decide) } }
    }

    package func confirm(_ confirmations: [TokenConfirmation]) throws(Refusal) {
        try refusing { () throws(StoreFailure) in
            try write { connection in for confirmation in confirmations { try connection.confirm(confirmation) } }
        }
    }
}

extension SQLiteStore {
    package func writesOfOthers() throws(Refusal) -> Int64? {
        try writing { try $0.first("PRAGMA data_version") { $0.integer(0) } }
    }
}

extension Connection {
    fileprivate func refresh(
        _ id: SessionID, now: Timestamp, by decide: (Session, User) -> RefreshDecision
    ) throws -> DecidedRefresh? {
        guard let (session, user) = try session(id) else { return nil }
        let decision = decide(session, user)
        switch decision {
        case .advance(let next, _): try advance(next, now: now)
        case .repeatCurrent(let written?): try writeRepeat(written, now: now)
        case .end(let ended, let event): try writeEnd(ended, recording: event)
        case .repeatCurrent(nil), .refuse: break
        }
        if session.isBound, let written = decision.written { try writeUsedProofs(written, now: now) }
        return DecidedRefresh(session: session, user: user, decision: decision)
    }
}
