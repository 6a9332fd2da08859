package import Gatehouse
import SQLite

extension SQLiteStore {
    package func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, hasher: any IdentityHasher,
        noting event: AuditEvent
    ) throws(StoreFailure) -> [SessionID] {
        try writing { connection throws(SQLiteError) in
            guard try connection.enter(notification, now: event.moment) else { return [] }
            let identity = Identity(provider: .apple, subject: notification.subject, email: nil)
            guard let user = try connection.owner(of: identity) else { return [] }
            var event = event
            event.userID = user
            event.detail = notification.kind.rawValue
            try connection.insert(event)
            return try connection.apply(notification, to: user, by: policy, hasher: hasher, at: event.moment)
        }
    }
}

extension Connection {
    /// The sessions that ended.
    fileprivate func apply(
        _ notification: AppleNotification, to user: UserID, by policy: ConsentPolicy, hasher: any IdentityHasher,
        at now: Timestamp
    ) throws(SQLiteError) -> [SessionID] {
        switch notification.kind {
        case .emailDisabled, .emailEnabled:
            try noteMail(notification, isForwarded: notification.kind == .emailEnabled)
            return []
        case .consentRevoked:
            // Whoever has been kept out would otherwise come back as somebody new.
            let isKeptOut = try self.user(user)?.status == .disabled
            return try withdraw(
                user, since: notification.horizon, by: isKeptOut ? .keep : policy, hasher: hasher, at: now)
        case .accountDeleted:
            // Nobody can sign in by it again, whatever becomes of those who only took their consent back.
            return try withdraw(
                user, since: notification.horizon, by: policy == .keep ? .unlink : policy, hasher: hasher, at: now)
        case .other:
            return []
        }
    }

    private func withdraw(
        _ user: UserID, since moment: Timestamp, by policy: ConsentPolicy, hasher: any IdentityHasher,
        at now: Timestamp
    ) throws(SQLiteError) -> [SessionID] {
        guard try !hasAgreed(user, after: moment) else { return [] }
        try forgetAppleToken(of: user)
        let accounts = try accounts(of: user)
        let isDeleted = policy == .delete || policy == .unlink && accounts.count == 1
        // A user who was disabled must not come back as a new one.
        if policy != .keep, try self.user(user)?.status == .disabled {
            let removed = accounts.filter { isDeleted || $0.provider == .apple }
            try bar(removed.flatMap(hasher.hashes(of:)), of: user, now: now)
        }
        if isDeleted {
            let event = AuditEvent(.userDeleted, at: now, by: .apple, userID: user)
            return try delete(user, asking: nil, noting: event)?.sessions ?? []
        }
        if policy == .unlink { try deleteAccounts(of: user, provider: .apple) }
        return try revokeAll(of: user, for: .consentRevoked, now: now)
    }
}
