package import Gatehouse
import SQL

extension RelationalStore {
    package func record(_ entry: SupportEntry) throws(Refusal) {
        try writing { connection in _ = try connection.insert(entry) }
    }

    package func perform(
        _ act: SupportAct, on target: UserID, by actor: SupportActor, recording entry: SupportEntry,
        unless refuse: @escaping @Sendable (_ actor: User, _ target: User) -> Refusal?
    ) throws(Refusal) -> SupportOutcome {
        try writing { connection in
            if let outcome = try connection.admit(actor, to: [target], unless: refuse) { return outcome }
            guard let ended = try connection.perform(act, on: target, now: entry.entry.moment) else {
                return .done(hasChanged: false, ended: [])
            }
            try connection.insert(entry)
            return .done(hasChanged: true, ended: ended)
        }
    }

    package func retry(
        _ query: EventQuery, now: Timestamp, recording entry: SupportEntry
    ) throws(Refusal) -> Int {
        try writing { connection in
            let count = try connection.retry(query, now: now)
            if count > 0 { try connection.insert(entry) }
            return count
        }
    }
}

extension RecordConnection {
    /// Locks the users of an act, and reads them. Nil if the act is admitted. An operator's command is admitted always.
    ///
    /// All acts of support are one after the other: of two administrators who act on each other, the second one is read after
    /// the first one has taken the role, or ended the session, from which the second one acts.
    func admit(
        _ actor: SupportActor, to targets: [UserID], unless refuse: (_ actor: User, _ target: User) -> Refusal?
    ) throws -> SupportOutcome? {
        try lockSupport()
        // In a fixed order, so that two transactions do not wait for each other.
        let ids = Set(targets + (actor.administrator.map { [$0] } ?? [])).sorted { $0.text < $1.text }
        for id in ids { try lock(id) }
        let users = try targets.compactMap { try user($0) }
        guard users.count == targets.count else { return .unknownUser }
        guard let id = actor.administrator, let session = actor.session else { return nil }
        guard let administrator = try user(id), administrator.status == .active, administrator.role >= .admin,
            let current = try self.session(session)?.session, current.revokedAt == nil
        else { return .refused(.sessionRevoked) }
        return users.compactMap { refuse(administrator, $0) }.first.map { .refused($0) }
    }

    /// Returns the sessions that ended; nil if the act has changed nothing.
    fileprivate func perform(_ act: SupportAct, on target: UserID, now: Timestamp) throws -> [EndedSession]? {
        switch act {
        case .disable: try disable(target, now: now)
        case .enable: try enable(target, now: now) ? [] : nil
        case .role(let role): try give(role, to: target, now: now) ? [] : nil
        case .delete: try delete(target, queueing: nil, recording: nil, now: now)?.ended
        case .signOut(let session?):
            try self.session(session)?.user.id == target && end(session, for: .revoked, now: now) != nil
                ? [EndedSession(session, for: .revoked)] : nil
        case .signOut(nil):
            try revokeAll(of: target, for: .revoked, now: now).nonEmpty
        }
    }

    /// Returns the number of the entry.
    @discardableResult
    func insert(_ entry: SupportEntry) throws -> Int64 {
        try insert(entry.entry)
        let number = try number(Self.lastEntry)
        try send(
            "INSERT INTO audit_acts (id, moment, actor, reason, request_id) VALUES (?, ?, ?, ?, ?)",
            .integer(number), .integer(entry.entry.moment.milliseconds), .optional(entry.entry.operatorName),
            .optional(entry.reason), .optional(entry.requestID))
        return number
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
