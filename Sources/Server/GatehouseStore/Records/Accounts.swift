import Gatehouse
import SQL

/// The columns of an account `a`, in the order in which `LinkedAccount.init(row:_:)` reads them.
let accountColumns = """
    a.provider, a.provider_user_id, a.email, a.email_verified, a.email_hint, a.is_private_email, a.mail_forwarded,
    a.real_user_status, a.real_user_status_hint, a.transfer_sub, a.union_sub, a.former_sub, a.created_at
    """

/// The id of the account of an identity. The account of the subject itself comes first, and the one that had it before a
/// transfer of the app comes last.
func accountID(of provider: String, _ subject: String, _ transfer: String) -> String {
    """
    coalesce(
        (SELECT id FROM auth_accounts WHERE provider = \(provider) AND provider_user_id = \(subject)),
        (SELECT id FROM auth_accounts WHERE provider = \(provider) AND transfer_sub = \(transfer)),
        (SELECT min(id) FROM auth_accounts WHERE provider = \(provider) AND former_sub = \(subject)))
    """
}

/// A transfer subject that an account has already stays with that account: the column is unique.
private func unusedTransferSubject(_ parameter: String) -> String {
    "(SELECT \(parameter) WHERE NOT EXISTS (SELECT 1 FROM auth_accounts WHERE transfer_sub = \(parameter)))"
}

// Constants, so that they are not built for each request.
private let insertAccount = """
    INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email, email_verified, email_hint,
        is_private_email, real_user_status, real_user_status_hint, transfer_sub, created_at, updated_at, union_sub)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, \(unusedTransferSubject("?11")), ?12, ?12, ?13)
    """

private let updateAccount = """
    UPDATE auth_accounts SET provider_user_id = ?3, email = ?4, email_verified = ?5, email_hint = ?6,
        is_private_email = ?7, real_user_status = ?8, real_user_status_hint = ?9,
        transfer_sub = coalesce(transfer_sub, \(unusedTransferSubject("?10"))), updated_at = ?11, union_sub = ?12,
        former_sub = ?13
    WHERE provider = ?1 AND provider_user_id = ?2
    """

private let accountOfIdentity = """
    SELECT u.id, \(accountColumns), \(userColumns)
    FROM auth_accounts a JOIN users u ON u.id = a.user_id
    WHERE a.id = \(accountID(of: "?1", "?2", "?3"))
    """

private let accountOfUnionSubject = """
    SELECT u.id, \(accountColumns), \(userColumns)
    FROM auth_accounts a JOIN users u ON u.id = a.user_id
    WHERE a.provider = ?1 AND a.union_sub = ?2
    """

extension RecordConnection {
    /// The account of an identity, and the user who has its union subject if that is another one.
    func known(_ identity: Identity) throws -> (known: KnownIdentity?, otherUser: UserID?) {
        let known = try first(
            accountOfIdentity, .text(identity.provider.rawValue), .text(identity.subject),
            .optional(identity.transferSubject), read: Self.knownIdentity)
        guard let union = identity.unionSubject else { return (known, nil) }
        let sibling = try first(
            accountOfUnionSubject, .text(identity.provider.rawValue), .text(union), read: Self.knownIdentity)
        guard let known else { return (sibling, nil) }
        return (known, sibling?.user.id == known.user.id ? nil : sibling?.user.id)
    }

    private static func knownIdentity(row: borrowing any SQLRow & ~Copyable) throws -> KnownIdentity {
        var columns = ColumnCounter()
        return try knownIdentity(row: row, &columns)
    }

    /// Reads the id of a user, `accountColumns` and `userColumns`.
    static func knownIdentity(
        row: borrowing any SQLRow & ~Copyable, _ columns: inout ColumnCounter
    ) throws -> KnownIdentity {
        let user = UserID(row.text(columns.next()))
        return (try LinkedAccount(row: row, &columns), try User(user, row: row, &columns))
    }

    func accounts(of user: UserID) throws -> [LinkedAccount] {
        try all(
            "SELECT \(accountColumns) FROM auth_accounts a WHERE a.user_id = ? ORDER BY a.created_at, a.id",
            .text(user.text)
        ) { row in
            var columns = ColumnCounter()
            return try LinkedAccount(row: row, &columns)
        }
    }

    /// The accounts of all users whose ids lie between two, the oldest of each user first.
    func accounts(
        ofUsersFrom first: UserID, through last: UserID
    ) throws -> [(user: UserID, account: LinkedAccount)] {
        try all(
            """
            SELECT a.user_id, \(accountColumns) FROM auth_accounts a WHERE a.user_id >= ? AND a.user_id <= ?
            ORDER BY a.user_id, a.created_at, a.id
            """,
            .text(first.text), .text(last.text)
        ) { row in
            var columns = ColumnCounter()
            let user = UserID(row.text(columns.next()))
            return (user, try LinkedAccount(row: row, &columns))
        }
    }

    func owner(of identity: Identity) throws -> UserID? {
        try first(
            """
            SELECT user_id FROM auth_accounts WHERE id = coalesce(
                (SELECT id FROM auth_accounts WHERE provider = ?1 AND provider_user_id = ?2),
                (SELECT min(id) FROM auth_accounts WHERE provider = ?1 AND former_sub = ?2))
            """,
            .text(identity.provider.rawValue), .text(identity.subject)
        ) { row in UserID(row.text(0)) }
    }

    func hasAccount(_ user: UserID, of provider: Provider) throws -> Bool {
        try first(
            "SELECT 1 FROM auth_accounts WHERE user_id = ? AND provider = ?", .text(user.text),
            .text(provider.rawValue)
        ) { _ in true } ?? false
    }

    func insert(_ account: LinkedAccount, of user: UserID) throws {
        // Contains the sortable part of the user's id, so that accounts sort by the creation of their users.
        let id = "acct" + user.text.drop { $0 != "_" } + "_" + account.provider.rawValue.lowercased()
        try send(
            insertAccount,
            .text(id), .text(user.text), .text(account.provider.rawValue), .text(account.subject),
            .optional(account.email), .optional(account.emailVerified), .optional(account.emailHint),
            .optional(account.isPrivateEmail), .optional(account.realUserStatus),
            .optional(account.realUserStatusHint), .optional(account.transferSubject),
            .integer(account.linkedAt.milliseconds), .optional(account.unionSubject))
    }

    /// - Parameter subject: the one in the row, which a transfer of the app changes.
    func update(_ account: LinkedAccount, formerSubject subject: String, now: Timestamp) throws {
        try send(
            updateAccount,
            .text(account.provider.rawValue), .text(subject), .text(account.subject), .optional(account.email),
            .optional(account.emailVerified), .optional(account.emailHint), .optional(account.isPrivateEmail),
            .optional(account.realUserStatus), .optional(account.realUserStatusHint),
            .optional(account.transferSubject), .integer(now.milliseconds), .optional(account.unionSubject),
            .optional(account.formerSubject))
    }

    /// Links the replay grace of an identity token to an account: it ends with the account, or with the next token.
    func linkReplayGrace(of redemption: Redemption, to identity: Identity) throws {
        let account: [Value] = [.text(identity.provider.rawValue), .text(identity.subject)]
        try send(
            """
            UPDATE redemptions SET closed = TRUE WHERE hash <> ?3 AND hash = (
                SELECT identity_token_hash FROM auth_accounts WHERE provider = ?1 AND provider_user_id = ?2)
            """,
            account[0], account[1], .blob(redemption.tokenHash))
        try send(
            "UPDATE auth_accounts SET identity_token_hash = ?3 WHERE provider = ?1 AND provider_user_id = ?2",
            account[0], account[1], .blob(redemption.tokenHash))
    }

    /// Deletes the accounts of a user, or the one at a provider. The trigger `removed_account_closes_redemptions` ends the
    /// grace in which the identity tokens of the account and of the user's sessions could be redeemed again.
    func deleteAccounts(of user: UserID, provider: Provider? = nil) throws {
        try send(
            "DELETE FROM auth_accounts WHERE user_id = ?1 AND provider = coalesce(?2, provider)",
            .text(user.text), .optional(provider?.rawValue))
    }
}

extension LinkedAccount {
    /// Reads `accountColumns`.
    fileprivate init(row: borrowing any SQLRow & ~Copyable, _ columns: inout ColumnCounter) throws {
        self.init(
            provider: try row.case(Provider.self, at: columns.next()), subject: row.text(columns.next()),
            email: row.optionalText(columns.next()), emailVerified: row.optionalFlag(columns.next()),
            emailHint: row.optionalText(columns.next()), isPrivateEmail: row.optionalFlag(columns.next()),
            isMailForwarded: row.optionalFlag(columns.next()), realUserStatus: row.optionalInteger(columns.next()),
            realUserStatusHint: row.optionalInteger(columns.next()),
            transferSubject: row.optionalText(columns.next()), unionSubject: row.optionalText(columns.next()),
            formerSubject: row.optionalText(columns.next()), linkedAt: row.timestamp(columns.next()))
    }
}
