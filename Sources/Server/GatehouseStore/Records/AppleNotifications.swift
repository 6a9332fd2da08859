package import Gatehouse
import SQL

extension RelationalStore {
    package func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, hasher: any IdentityHasher,
        recording event: AuditEntry
    ) throws(Refusal) -> [EndedSession] {
        try writing { connection in
            guard try connection.recordOnce(notification.id, now: event.moment) else { return [] }
            let identity = Identity(provider: .apple, subject: notification.subject, email: nil)
            try connection.lock(identity)
            guard let user = try connection.owner(of: identity) else { return [] }
            var event = event
            event.userID = user
            event.detail = notification.kind.rawValue
            try connection.insert(event)
            return try connection.apply(notification, to: user, by: policy, hasher: hasher, at: event.moment)
        }
    }
}

extension RecordConnection {
    /// Returns the sessions that ended.
    fileprivate func apply(
        _ notification: AppleNotification, to user: UserID, by policy: ConsentPolicy, hasher: any IdentityHasher,
        at now: Timestamp
    ) throws -> [EndedSession] {
        switch notification.kind {
        case .emailDisabled, .emailEnabled:
            try updateMailForwarding(notification, isForwarded: notification.kind == .emailEnabled)
            return []
        case .consentRevoked, .accountDeleted:
            try lockSessions(of: user)
            guard try !hasConsentedAgain(user, after: notification.horizon) else { return [] }
            try deleteAppleToken(of: user)
            guard let owner = try self.user(user) else { return [] }
            let withdrawal = ConsentWithdrawal(
                by: notification.kind, policy, of: owner, with: try accounts(of: user))
            try bar(withdrawal.barred.flatMap(hasher.hashes(of:)), of: user, now: now)
            return try write(withdrawal.effect, of: owner, now: now)
        case .other:
            return []
        }
    }

    private func write(_ effect: ConsentWithdrawal.Effect, of user: User, now: Timestamp) throws -> [EndedSession] {
        switch effect {
        case .keep: break
        case .unlink(let changed):
            try unlink(.apple, of: user, changing: changed, now: now)
        case .delete:
            let event = AuditEntry(.userDeleted, at: now, by: .apple, userID: user.id)
            return try delete(user.id, for: .consentRevoked, queueing: nil, recording: event, now: now)?.ended ?? []
        }
        // A user with another way to sign in goes on in the sessions that it opened.
        return try revokeAll(of: user.id, openedBy: .apple, for: .consentRevoked, now: now)
    }
}

extension RecordConnection {
    /// False when a message with this id has been applied before. Those of other providers have the provider's name before
    /// their own id.
    func recordOnce(_ id: String, now: Timestamp) throws -> Bool {
        try run(
            "INSERT INTO apple_notifications (id, moment) VALUES (?, ?) ON CONFLICT (id) DO NOTHING",
            .text(id), .integer(now.milliseconds)) == 1
    }

    /// A notification that is older than the last one is ignored.
    func updateMailForwarding(_ notification: AppleNotification, isForwarded: Bool) throws {
        try send(
            """
            UPDATE auth_accounts SET mail_forwarded = ?1, email = coalesce(?2, email),
                email_verified = CASE WHEN coalesce(?2, email) IS NOT DISTINCT FROM email THEN email_verified END,
                is_private_email = coalesce(?3, is_private_email), notified_at = ?4
            WHERE provider = 'APPLE' AND coalesce(notified_at, 0) <= ?4 AND id = coalesce(
                    (SELECT id FROM auth_accounts WHERE provider = 'APPLE' AND provider_user_id = ?5),
                    (SELECT min(id) FROM auth_accounts WHERE provider = 'APPLE' AND former_sub = ?5))
            """,
            .integer(isForwarded ? 1 : 0), .optional(notification.email),
            .optional(notification.isPrivateEmail.map { $0 ? 1 : 0 }), .integer(notification.moment.milliseconds),
            .text(notification.subject))
    }

    /// Whether the user has logged in with Apple or linked Apple since: then they have given consent again.
    func hasConsentedAgain(_ user: UserID, after moment: Timestamp) throws -> Bool {
        try first(
            """
            SELECT 1 FROM refresh_tokens WHERE user_id = ?1 AND provider = 'APPLE' AND created_at > ?2
            UNION ALL
            SELECT 1 FROM auth_accounts WHERE user_id = ?1 AND provider = 'APPLE' AND created_at > ?2
            """,
            .text(user.text), .integer(moment.milliseconds)
        ) { _ in true } ?? false
    }

    /// Apple does not accept the token any more.
    func deleteAppleToken(of user: UserID) throws {
        try send(
            "UPDATE auth_accounts SET refresh_token = NULL WHERE user_id = ? AND provider = 'APPLE'",
            .text(user.text))
    }
}
