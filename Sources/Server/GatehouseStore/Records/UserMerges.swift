package import Gatehouse
import SQL

extension RelationalStore {
    package func mergePlan(of user: UserID, into other: UserID, now: Timestamp) throws(Refusal) -> MergePlan? {
        try reading { try $0.mergePlan(of: user, into: other, now: now) }
    }

    package func recordedMerge(of user: UserID, now: Timestamp) throws(Refusal) -> RecordedMerge? {
        try reading { try $0.recordedMerge(of: user, now: now)?.merge }
    }

    package func merge(
        _ merge: UserMerge, resealing reseal: @escaping Reseal,
        unless refuse: @escaping @Sendable (_ actor: User, _ target: User) -> Refusal?
    ) throws(Refusal) -> (outcome: SupportOutcome, plan: MergePlan?) {
        try writing { connection in
            let (user, other) = (merge.user, merge.other)
            guard user != other else { return (.refused(.mergeConflict(.status)), nil) }
            try connection.lockSupport()
            // A login by one of the accounts waits, and then finds the user to whom it has moved.
            for account in try connection.accounts(of: user) {
                try connection.lock(Identity(provider: account.provider, subject: account.subject, email: nil))
            }
            if let outcome = try connection.admit(merge.actor, to: [user, other], unless: refuse) {
                return (outcome, nil)
            }
            try connection.lockSessions(of: user)
            guard let plan = try connection.mergePlan(of: user, into: other, now: merge.moment) else {
                return (.unknownUser, nil)
            }
            if let conflict = plan.conflicts.first { return (.refused(.mergeConflict(conflict)), plan) }
            let ended = try connection.write(merge, by: plan) { reseal($0, user, other) }
            return (.done(hasChanged: true, ended: ended), plan)
        }
    }

    package func unmerge(
        _ user: UserID, by actor: SupportActor, now: Timestamp, resealing reseal: @escaping Reseal,
        unless refuse: @escaping @Sendable (_ actor: User, _ target: User) -> Refusal?
    ) throws(Refusal) -> (outcome: SupportOutcome, merge: RecordedMerge?) {
        try writing { connection in
            try connection.lockSupport()
            let recorded = try connection.recordedMerge(of: user, now: now)
            let other = recorded.map(\.merge.other)
            for account in try other.map({ try connection.accounts(of: $0) }) ?? [] {
                try connection.lock(Identity(provider: account.provider, subject: account.subject, email: nil))
            }
            let targets = [user] + (other.map { [$0] } ?? [])
            if let outcome = try connection.admit(actor, to: targets, unless: refuse) { return (outcome, nil) }
            guard let recorded, let former = try connection.user(recorded.merge.other), former.status == .active,
                try connection.user(user)?.status == .deleted
            else { return (.refused(.notMerged), nil) }
            return try connection.undo(recorded, from: former, by: actor, now: now) {
                reseal($0, recorded.merge.other, user)
            }
        }
    }
}

/// A merge with the rows of both users as they were before.
private struct StoredMerge {
    let number: Int64
    let merge: RecordedMerge
    let user: User
    let lastLogin: (at: Timestamp?, by: String?)
    let other: User
}

extension RecordConnection {
    fileprivate func mergePlan(of user: UserID, into other: UserID, now: Timestamp) throws -> MergePlan? {
        guard let first = try self.user(user), let second = try self.user(other) else { return nil }
        return MergePlan(
            of: JoinFacts.Party(user: first, accounts: try accounts(of: user)),
            into: JoinFacts.Party(user: second, accounts: try accounts(of: other)),
            sessions: try sessions(of: user, aliveAt: now).count)
    }

    /// Returns the sessions that ended.
    fileprivate func write(
        _ merge: UserMerge, by plan: MergePlan, resealing reseal: ([UInt8]) -> [UInt8]?
    ) throws -> [EndedSession] {
        let (user, other, now) = (merge.user, merge.other, merge.moment)
        let numbers = try merge.entries.map { try insert($0) }
        try keep(merge, as: numbers[0])
        let moved = try moveAccounts(of: user, to: other, resealing: reseal, now: now)
        let ended = try deleteSessions(of: user, for: .userDeleted, now: now)
        _ = try anonymise(user, now: now)
        try writeProfile(plan.result, now: now)
        try insert(UserEvent(.deleted(joining: other), of: user, at: now))
        for provider in moved { try insert(UserEvent(.linked(provider), of: other, at: now)) }
        try insertUpdate(of: plan.other.user, at: now)
        try insert([plan.other, plan.user].flatMap { $0.user.notices(of: .joined, at: now) })
        return ended
    }

    private func keep(_ merge: UserMerge, as number: Int64) throws {
        let accounts = try all("SELECT id FROM auth_accounts WHERE user_id = ?", .text(merge.user.text)) { $0.text(0) }
        try send(
            """
            INSERT INTO merges (id, user_id, other_id, actor, moment, accounts, email, email_verified, nickname,
                avatar_url, onboarding_completed, last_login_at, last_login_provider, other_email,
                other_email_verified, other_nickname, other_avatar_url)
            SELECT CAST(?1 AS BIGINT), u.id, o.id, CAST(?4 AS TEXT), CAST(?5 AS BIGINT), CAST(?6 AS TEXT), u.email,
                u.email_verified, u.nickname, u.avatar_url, u.onboarding_completed, u.last_login_at,
                u.last_login_provider, o.email, o.email_verified, o.nickname, o.avatar_url
            FROM users u, users o WHERE u.id = ?2 AND o.id = ?3
            """,
            .integer(number), .text(merge.user.text), .text(merge.other.text), .optional(merge.actor.name),
            .integer(merge.moment.milliseconds), .text(accounts.joined(separator: " ")))
    }

    private func writeProfile(_ user: User, now: Timestamp) throws {
        try send(
            """
            UPDATE users SET email = ?2, email_verified = ?3, nickname = ?4, avatar_url = ?5, updated_at = \(later("?6"))
            WHERE id = ?1
            """,
            .text(user.id.text), .optional(user.email), .flag(user.emailVerified), .optional(user.nickname),
            .optional(user.avatarURL), .integer(now.milliseconds))
    }

    /// The last merge of a user, if it can be undone.
    fileprivate func recordedMerge(of user: UserID, now: Timestamp) throws -> StoredMerge? {
        try first(
            """
            SELECT id, other_id, actor, moment, accounts, email, email_verified, nickname, avatar_url,
                onboarding_completed, last_login_at, last_login_provider, other_email, other_email_verified,
                other_nickname, other_avatar_url, (SELECT created_at FROM users WHERE id = ?1), attributes
            FROM merges WHERE user_id = ?1 AND moment > ?2 ORDER BY id DESC LIMIT 1
            """,
            .text(user.text), .integer((now - UserMerge.undoTime).milliseconds)
        ) { row in
            let other = UserID(row.text(1))
            let merge = RecordedMerge(
                of: user, into: other, by: row.optionalText(2), at: row.timestamp(3),
                accounts: row.text(4).split(separator: " ").map(String.init))
            var former = User(
                id: user, email: row.optionalText(5), emailVerified: row.integer(6) != 0,
                nickname: row.optionalText(7), avatarURL: row.optionalText(8),
                onboardingCompleted: row.integer(9) != 0, createdAt: row.timestamp(16))
            former.attributes = row.optionalText(17).map { Attributes(canonical: $0) } ?? .none
            return StoredMerge(
                number: row.integer(0), merge: merge, user: former,
                lastLogin: (row.optionalTimestamp(10), row.optionalText(11)),
                other: User(
                    id: other, email: row.optionalText(12), emailVerified: row.integer(13) != 0,
                    nickname: row.optionalText(14), avatarURL: row.optionalText(15), createdAt: row.timestamp(3)))
        }
    }

    /// Moves the accounts back that the other user still has.
    fileprivate func undo(
        _ stored: StoredMerge, from former: User, by actor: SupportActor, now: Timestamp,
        resealing reseal: ([UInt8]) -> [UInt8]?
    ) throws -> (outcome: SupportOutcome, merge: RecordedMerge?) {
        let (user, other, ids) = (stored.merge.user, stored.merge.other, stored.merge.accounts)
        let present = try all("SELECT id FROM auth_accounts WHERE user_id = ?", .text(other.text)) { $0.text(0) }
        let passkeys = try passkeys(of: other, addedSince: stored.merge.moment)
        let isLeft = present.contains { !ids.contains($0) && $0 != passkeys.onlyIn }
        guard isLeft, ids.isEmpty || present.contains(where: { ids.contains($0) && $0 != passkeys.onlyIn }) else {
            return (.refused(.nothingLeftToMerge), nil)
        }
        try restore(stored, now: now)
        var ended = try remove(passkeys.added, andAccount: passkeys.onlyIn != nil, of: other, by: actor, now: now)
        let moved = try moveAccounts(ids, of: other, to: user, resealing: reseal, now: now)
        if moved.contains(.phone) { try logChange(of: other) }
        try writeProfile(former.uncompleted(to: stored.other, by: stored.user), now: now)
        // Of one opened since, nobody knows which of the two opened it.
        ended += try revokeAll(of: other, after: stored.merge.moment, for: .revoked, now: now)
        // Sessions that a moved account has opened would go on as the other user's.
        for provider in moved {
            ended += try revokeAll(of: other, openedBy: provider, for: .accountUnlinked, now: now)
            try insert(UserEvent(.unlinked(provider), of: other, at: now))
        }
        try insertUpdate(of: former, at: now)
        if let provider = moved.first { try insert(UserEvent(.created(by: provider), of: user, at: now)) }
        try insert(actor.entry(.usersUnmerged, at: now, of: user, detail: "from \(other.text)"))
        try insert(actor.entry(.usersUnmerged, at: now, of: other, detail: "into \(user.text)"))
        try send("DELETE FROM merges WHERE id = ?", .integer(stored.number))
        let merge = RecordedMerge(
            of: user, into: other, by: stored.merge.actor, at: stored.merge.moment, accounts: moved.map(\.rawValue))
        return (.done(hasChanged: true, ended: ended), merge)
    }

    /// The passkeys that were added after the merge, and the account that has no others. Either of the two may have added them, and
    /// would go on to sign in as the other one.
    private func passkeys(
        of other: UserID, addedSince moment: Timestamp
    ) throws -> (added: [String], onlyIn: String?) {
        let all = try all(
            "SELECT a.id, p.id, p.created_at FROM passkeys p JOIN auth_accounts a ON a.id = p.account_id WHERE a.user_id = ?",
            .text(other.text)
        ) { row in (account: row.text(0), id: row.text(1), createdAt: row.timestamp(2)) }
        let added = all.filter { $0.createdAt >= moment }
        return (added.map(\.id), added.count == all.count ? added.first?.account : nil)
    }

    /// Returns the sessions that ended.
    private func remove(
        _ passkeys: [String], andAccount isUnlinked: Bool, of user: UserID, by actor: SupportActor, now: Timestamp
    ) throws -> [EndedSession] {
        for id in passkeys {
            try send("DELETE FROM passkeys WHERE id = ?", .text(id))
            try insert(actor.entry(.passkeyRemoved, at: now, of: user, detail: id))
        }
        // An account without a passkey would count as a way to sign in.
        guard isUnlinked else { return [] }
        return try unlink(.passkey, of: user, recording: actor.entry(.accountUnlinked, at: now, of: user).entry).ended
    }

    private func restore(_ stored: StoredMerge, now: Timestamp) throws {
        try writeProfile(stored.user, now: now)
        // An undone merge leaves the version higher than it was: a service that has read the attributes before reads them again.
        let attributes = stored.user.attributes
        if !attributes.isEmpty { try setAttributes(attributes, of: stored.user.id, now: now) }
        try send(
            """
            UPDATE users SET status = 'ACTIVE', onboarding_completed = ?2, last_login_at = ?3, last_login_provider = ?4
            WHERE id = ?1
            """,
            .text(stored.user.id.text), .flag(stored.user.onboardingCompleted),
            .optional(stored.lastLogin.at?.milliseconds), .optional(stored.lastLogin.by))
    }
}
