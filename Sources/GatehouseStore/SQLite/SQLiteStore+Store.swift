package import Gatehouse
import POSIX
import SQLite

extension SQLiteStore: Store {
    package func user(_ id: UserID) throws(StoreFailure) -> User? {
        try reading { connection throws(SQLiteError) in try connection.user(id) }
    }

    package func record(
        _ login: Login, limit: Int, opening session: @escaping (_ known: User?) -> NewSession
    ) throws(StoreFailure) -> LoginOutcome {
        try writing { connection throws(SQLiteError) in
            let known = try connection.known(login.identity)
            if let user = known?.user, user.status != .active { return .inactive(user) }
            if known == nil, let user = try connection.owner(ofBarred: login.identityHashes) {
                // Perhaps Apple has said only now by which name the person comes back after a transfer of the app.
                try connection.bar(login.identityHashes, of: user, now: login.moment)
                return .barred(user)
            }
            // Judged before anything is written, since nothing of a refused login may stay.
            let use = try login.redemption.map(connection.judge)
            switch use {
            case .replayed: return .replayed
            case .usedNonce: return .usedNonce
            case .fresh, .repeated, nil: break
            }
            let new = session(known?.user)
            let user = try connection.user(of: login, opening: new, known: known)
            precondition(new.session.userID == user.id, "a session is opened for whose identity it is")
            if let redemption = login.redemption { try connection.remember(redemption) }
            try connection.insert(new.session, redeeming: login.redemption)
            try connection.insert(new.event)
            // An authorization code is good for one exchange, which the first login has asked for.
            if use != .repeated, let task = new.task { try connection.insert(task) }
            // A new user has one session.
            guard known != nil else { return .recorded(user, ended: []) }
            return .recorded(user, ended: try connection.enforce(limit, after: new))
        }
    }

    package func update(_ id: UserID, _ change: ProfileChange, now: Timestamp) throws(StoreFailure) -> User? {
        try writing { connection throws(SQLiteError) in try connection.update(id, change, now: now) }
    }

    package func session(_ id: SessionID) throws(StoreFailure) -> (session: Session, user: User)? {
        try reading { connection throws(SQLiteError) in try connection.session(id) }
    }

    package func sessions(of user: UserID, aliveAt now: Timestamp) throws(StoreFailure) -> [Session] {
        try reading { connection throws(SQLiteError) in try connection.sessions(of: user, aliveAt: now) }
    }

    package func change(
        _ id: SessionID, now: Timestamp, by decide: @escaping (Session, User) -> SessionChange?
    ) throws(StoreFailure) -> (session: Session, user: User, change: SessionChange?)? {
        try writing { connection throws(SQLiteError) in
            guard let (session, user) = try connection.session(id) else { return nil }
            let change = decide(session, user)
            let isDone =
                switch change {
                case .next(let token, let device): try connection.advance(id, to: token, from: device, now: now)
                case .end(let reason, let event): try connection.revoke(id, for: reason, noting: event)
                case nil: true
                }
            return (session, user, isDone ? change : nil)
        }
    }

    package func revoke(
        _ id: SessionID, for reason: RevokeReason, noting event: AuditEvent
    ) throws(StoreFailure) -> Bool {
        try writing { connection throws(SQLiteError) in try connection.revoke(id, for: reason, noting: event) }
    }

    package func revokeAll(
        of user: UserID, for reason: RevokeReason, noting event: AuditEvent
    ) throws(StoreFailure) -> [SessionID] {
        try writing { connection throws(SQLiteError) in
            let ended = try connection.revokeAll(of: user, for: reason, now: event.moment)
            if !ended.isEmpty { try connection.insert(event) }
            return ended
        }
    }

    package func revocations(after place: Int64) throws(StoreFailure) -> [Revocation] {
        try reading { connection throws(SQLiteError) in try connection.revocations(after: place) }
    }

    package var revocationSign: UInt64 { sign?.value ?? 0 }

    package func auditEvents(of user: UserID) throws(StoreFailure) -> [AuditEvent] {
        try reading { connection throws(SQLiteError) in
            try connection.auditEvents(AuditQuery(userID: user, limit: .max))
        }
    }

    package func note(_ events: [AuditEvent]) throws(StoreFailure) {
        try writing { connection throws(SQLiteError) in
            for var event in events {
                // Their address went when they were deleted, and does not come back with what was noted meanwhile.
                if let user = event.userID, try connection.user(user)?.status == .deleted { event.device = .unknown }
                try connection.insert(event)
            }
        }
    }
}

extension Connection {
    /// Keeps the living sessions of a user within the limit, now that there is one more.
    fileprivate func enforce(_ limit: Int, after new: NewSession) throws(SQLiteError) -> [SessionID] {
        let (user, now) = (new.session.userID, new.session.createdAt)
        let ended = try enforce(limit, on: user, except: new.session.id, now: now)
        guard !ended.isEmpty else { return [] }
        try insert(
            AuditEvent(
                .sessionLimit, at: now, userID: user, sessionID: ended.count == 1 ? ended[0] : nil,
                device: new.session.device, count: Int64(ended.count)))
        return ended
    }
}
