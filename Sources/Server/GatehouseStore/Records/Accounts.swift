import Gatehouse
import SQL

/// The columns of an account `a`, in the order in which `LinkedAccount.init(row:_:)` reads them.
private let accountColumns = """
    a.provider, a.provider_user_id, a.email, a.email_verified, a.email_hint, a.is_private_email, a.mail_forwarded,
    a.real_user_status, a.real_user_status_hint, a.transfer_sub, a.created_at
    """

// A constant, so that it is not built for each request.
private let accountOfIdentity = """
    SELECT u.id, \(accountColumns), \(userColumns)
    FROM auth_accounts a JOIN users u ON u.id = a.user_id
    WHERE a.id = coalesce(
        (SELECT id FROM auth_accounts WHERE provider = ?1 AND provider_user_id = ?2),
        (SELECT id FROM auth_accounts WHERE provider = ?1 AND transfer_sub = ?3))
    """

/// The account of an identity, and its user.
typealias KnownIdentity = (account: LinkedAccount, user: User)

extension RecordConnection {
    func known(_ identity: Identity) throws -> KnownIdentity? {
        try first(
            accountOfIdentity,
            .text(identity.provider.rawValue), .text(identity.subject), .optional(identity.transferSubject)
        ) { row in
            var columns = ColumnCounter()
            let user = UserID(row.text(columns.next()))
            return (try LinkedAccount(row: row, &columns), try User(user, row: row, &columns))
        }
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

    func owner(of identity: Identity) throws -> UserID? {
        try first(
            "SELECT user_id FROM auth_accounts WHERE provider = ? AND provider_user_id = ?",
            .text(identity.provider.rawValue), .text(identity.subject)
        ) { row in UserID(row.text(0)) }
    }

    func hasAccount(_ user: UserID, of provider: Provider) throws -> Bool {
        try first(
            "SELECT 1 FROM auth_accounts WHERE user_id = ? AND provider = ?", .text(user.text),
            .text(provider.rawValue)
        ) { _ in true } ?? false
    }

    func insert(_ identity: Identity, of user: UserID, now: Timestamp) throws {
        // Contains the sortable part of the user's id, so that accounts sort by the creation of their users.
        let id = "acct" + user.text.drop { $0 != "_" } + "_" + identity.provider.rawValue.lowercased()
        try send(
            """
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, email, email_verified, email_hint,
                is_private_email, real_user_status, real_user_status_hint, transfer_sub, created_at, updated_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10,
                (SELECT ?11 WHERE NOT EXISTS (SELECT 1 FROM auth_accounts WHERE transfer_sub = ?11)), ?12, ?12)
            """,
            .text(id), .text(user.text), .text(identity.provider.rawValue), .text(identity.subject),
            .optional(identity.email), .optional(identity.emailVerified), .optional(identity.emailHint),
            .optional(identity.isPrivateEmail), .optional(identity.realUserStatus.map(Int64.init)),
            .optional(identity.realUserStatusHint.map(Int64.init)), .optional(identity.transferSubject),
            .integer(now.milliseconds))
    }

    /// Gives an existing account its new subject after a transfer of the app to another developer team, which changes
    /// the subjects of all users.
    func applyTransfer(of identity: Identity, now: Timestamp) throws {
        guard let transferred = identity.transferSubject, try owner(of: identity) == nil else { return }
        try send(
            "UPDATE auth_accounts SET provider_user_id = ?, updated_at = ? WHERE provider = ? AND transfer_sub = ?",
            .text(identity.subject), .integer(now.milliseconds), .text(identity.provider.rawValue),
            .text(transferred))
    }

    /// Updates an account from the provider's latest token. Columns whose claims are missing keep their value, but
    /// `email_verified` becomes NULL when a new address comes without that claim.
    func update(_ identity: Identity, now: Timestamp) throws {
        try send(
            """
            UPDATE auth_accounts SET email = coalesce(?1, email),
                email_verified = CASE WHEN ?1 IS NULL THEN email_verified
                    ELSE coalesce(?9, CASE WHEN email = ?1 THEN email_verified END) END,
                email_hint = coalesce(email_hint, ?2),
                is_private_email = coalesce(?3, is_private_email), real_user_status = coalesce(?4, real_user_status),
                real_user_status_hint = coalesce(?10, real_user_status_hint),
                transfer_sub = coalesce(transfer_sub,
                    (SELECT ?8 WHERE NOT EXISTS (SELECT 1 FROM auth_accounts WHERE transfer_sub = ?8))),
                updated_at = ?5
            WHERE provider = ?6 AND provider_user_id = ?7
            """,
            .optional(identity.email), .optional(identity.emailHint),
            .optional(identity.isPrivateEmail), .optional(identity.realUserStatus.map(Int64.init)),
            .integer(now.milliseconds), .text(identity.provider.rawValue), .text(identity.subject),
            .optional(identity.transferSubject), .optional(identity.emailVerified),
            .optional(identity.realUserStatusHint.map(Int64.init)))
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

    /// Deletes the accounts of a user, or the one at a provider.
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
            transferSubject: row.optionalText(columns.next()), linkedAt: row.timestamp(columns.next()))
    }

    /// Whether an identity adds or changes anything. Usually it does not, and the row need not be written.
    func differs(from identity: Identity) -> Bool {
        let hasChanged =
            isOther(identity.email) || identity.emailVerified ?? emailVerified != emailVerified
            || identity.isPrivateEmail ?? isPrivateEmail != isPrivateEmail
            || identity.realUserStatus.map(Int64.init) ?? realUserStatus != realUserStatus
            || identity.realUserStatusHint.map(Int64.init) ?? realUserStatusHint != realUserStatusHint
        return hasChanged || emailHint == nil && identity.emailHint != nil
            || transferSubject == nil && identity.transferSubject != nil
    }

    /// Compared byte by byte: Swift's own comparison treats more addresses as equal.
    private func isOther(_ address: String?) -> Bool {
        guard let address else { return false }
        return email.map { Array($0.utf8) != Array(address.utf8) } ?? true
    }
}
