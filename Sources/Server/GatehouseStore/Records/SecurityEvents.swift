package import Gatehouse
import SQL

extension RelationalStore {
    package func apply(_ events: SecurityEvents, now: Timestamp) throws(Refusal) -> [EndedSession] {
        try writing { connection in
            guard try connection.recordOnce("\(events.provider.rawValue) \(events.id)", now: now) else { return [] }
            return try events.entries.flatMap { try connection.apply($0, of: events, now: now) }
        }
    }
}

extension RecordConnection {
    /// Returns the sessions that ended. Of an unknown user, nothing is recorded.
    fileprivate func apply(
        _ entry: SecurityEvents.Entry, of events: SecurityEvents, now: Timestamp
    ) throws -> [EndedSession] {
        guard let subject = entry.subject else { return [] }
        let identity = Identity(provider: events.provider, subject: subject, email: nil)
        try lock(identity)
        guard let user = try owner(of: identity) else { return [] }
        try insert(
            AuditEntry(
                .securityEvent, at: now, by: .provider, userID: user, provider: events.provider,
                detail: entry.kind.rawValue))
        let own: Provider?
        switch entry.kind.effect {
        case .none: return []
        case .endOwnSessions: own = events.provider
        case .endAllSessions: own = nil
        }
        return try revokeAll(of: user, openedBy: own, until: events.horizon, for: .providerEvent, now: now)
    }
}
