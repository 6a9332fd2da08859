import Gatehouse
import SQL

let accountColumns = LinkedAccount.columns.selected(from: "a")

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
    INSERT INTO auth_accounts (id, user_id, transfer_sub, updated_at, \(LinkedAccount.columns.inserted))
    VALUES (?1, ?2, \(unusedTransferSubject("?3")), ?4, \(LinkedAccount.columns.places))
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

    private static func knownIdentity(row: borrowing AnyRow) throws -> KnownIdentity {
        var columns = ColumnCounter()
        return try knownIdentity(row: row, &columns)
    }

    /// Reads the id of a user, `accountColumns` and `userColumns`.
    static func knownIdentity(
        row: borrowing AnyRow, _ columns: inout ColumnCounter
    ) throws -> KnownIdentity {
        let user = UserID(row.text(columns.next()))
        return (try LinkedAccount(row: row, &columns), try User(user, row: row, &columns))
    }

    func accounts(of user: UserID) throws -> [LinkedAccount] {
        try all(
            "SELECT \(accountColumns) FROM auth_accounts a WHERE a.user_id = ? ORDER BY a.created_at, a.id",
            .text(user.text)
        ) { row in try LinkedAccount(row: row) }
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
            values: account.insertedValues(
                after: .text(id), .text(user.text), .optional(account.transferSubject),
                .integer(account.linkedAt.milliseconds)))
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

extension LinkedAccount: Record {
    static let columns = ColumnList(of: LinkedAccount.self, in: "auth_accounts")

    static var unread: LinkedAccount {
        LinkedAccount(
            Identity(provider: .apple, subject: "", email: nil), linkedAt: Timestamp(milliseconds: 0))
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("provider", &provider, row)
        try column("provider_user_id", &subject, row)
        try column("email", &email, row)
        try column("email_verified", &emailVerified, row)
        try column("email_hint", &emailHint, row)
        try column("is_private_email", &isPrivateEmail, row)
        try column("real_user_status", &realUserStatus, row)
        try column("real_user_status_hint", &realUserStatusHint, row)
        try column("union_sub", &unionSubject, row)
        try column("created_at", &linkedAt, row)
        guard !column.isInsert else { return }
        try column("mail_forwarded", &isMailForwarded, row)
        // Unique, so `insertAccount` has a condition for it.
        try column("transfer_sub", &transferSubject, row)
        try column("former_sub", &formerSubject, row)
    }
}
