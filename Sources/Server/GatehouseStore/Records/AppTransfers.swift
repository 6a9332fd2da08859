package import Gatehouse
import SQL

// What a transfer of the app between two teams of Apple reads and writes: `AppTransferStore`.

extension RelationalStore {
    package func transferCounts(for step: TransferStep) throws(Refusal) -> TransferCounts {
        try reading { connection in
            try connection.first(
                """
                SELECT count(CASE WHEN \(step.awaits) AND NOT \(isRefused) THEN 1 END),
                    count(CASE WHEN \(step.awaits) AND \(isRefused) THEN 1 END),
                    count(CASE WHEN \(step.isDone) THEN 1 END), count(CASE WHEN \(step.isForOtherTeam) THEN 1 END),
                    count(CASE WHEN a.transfer_sub IS NULL THEN 1 END)
                FROM auth_accounts a WHERE a.provider = 'APPLE'
                """, .text(step.team), .text(step.refusal)
            ) { row in
                TransferCounts(
                    waiting: Int(row.integer(0)), refused: Int(row.integer(1)), done: Int(row.integer(2)),
                    forOtherTeam: Int(row.integer(3)), withoutTransferSubject: Int(row.integer(4)))
            } ?? TransferCounts(waiting: 0, refused: 0, done: 0, forOtherTeam: 0, withoutTransferSubject: 0)
        }
    }

    package func accounts(
        awaiting step: TransferStep, refused: Bool, after id: String, limit: Int
    ) throws(Refusal) -> [TransferAccount] {
        try reading { connection in
            try connection.all(
                """
                SELECT a.id, a.user_id, a.client_id, a.provider_user_id, a.transfer_sub FROM auth_accounts a
                WHERE a.provider = 'APPLE' AND a.id > ?3 AND \(step.awaits) AND \(refused ? "" : "NOT ")\(isRefused)
                ORDER BY a.id LIMIT ?4
                """, .text(step.team), .text(step.refusal), .text(id), .integer(Int64(limit))
            ) { row in
                TransferAccount(
                    id: row.text(0), userID: UserID(row.text(1)), clientID: row.optionalText(2), subject: row.text(3),
                    transferSubject: row.optionalText(4))
            }
        }
    }

    package func keep(
        transferSubject: String, for team: String, of account: TransferAccount, now: Timestamp
    ) throws(Refusal) -> TransferOutcome {
        try writing { connection in
            try connection.lock(account.identity(transferSubject))
            let owner = try connection.first(
                "SELECT id, user_id FROM auth_accounts WHERE transfer_sub = ?", .text(transferSubject)
            ) { row in (id: row.text(0), user: UserID(row.text(1))) }
            if let owner, owner.id != account.id { return .conflict(owner.user) }
            let isKept =
                try connection.run(
                    """
                    UPDATE auth_accounts SET transfer_sub = ?3, transfer_team = ?4, transferred_at = NULL,
                        transfer_refused = NULL, updated_at = ?5
                    WHERE id = ?1 AND provider_user_id = ?2
                    """,
                    .text(account.id), .text(account.subject), .text(transferSubject), .text(team),
                    .integer(now.milliseconds)) == 1
            return isKept ? .done : .gone
        }
    }

    package func move(
        _ account: TransferAccount, to migrated: MigratedSubject, of team: String, recording event: AuditEntry
    ) throws(Refusal) -> TransferOutcome {
        try writing { connection in
            var identity = migrated.identity
            identity.transferSubject = account.transferSubject
            // As a login does, which may come at the same time.
            try connection.lock(identity)
            let known = try connection.known(identity).known
            let accounts = try known.map { try connection.accounts(of: $0.user.id) } ?? []
            switch TransferDecision(account, to: migrated, known: known, accounts: accounts) {
            case .gone: return .gone
            case .conflict(let user): return .conflict(user)
            case .nothing: break
            case .move(let moved, let former, let changed):
                try connection.update(moved, formerSubject: former.subject, now: event.moment)
                if let known, let changed {
                    try connection.updateAddress(of: changed, now: event.moment)
                    try connection.insertUpdate(of: known.user, at: event.moment)
                }
                var event = event
                event.userID = known?.user.id
                try connection.insert(event)
            }
            try connection.markTransferred(account, to: team, now: event.moment)
            return .done
        }
    }

    package func markRefused(_ accounts: [TransferAccount], for step: TransferStep) throws(Refusal) {
        guard !accounts.isEmpty else { return }
        try writing { connection in
            // In a fixed order, so that two transactions do not wait for each other.
            for account in accounts.sorted(by: { $0.id < $1.id }) {
                try connection.send(
                    "UPDATE auth_accounts SET transfer_refused = ?3 WHERE id = ?1 AND provider_user_id = ?2",
                    .text(account.id), .text(account.subject), .text(step.refusal))
            }
        }
    }
}

extension RecordConnection {
    fileprivate func markTransferred(_ account: TransferAccount, to team: String, now: Timestamp) throws {
        try send(
            """
            UPDATE auth_accounts SET transferred_at = ?3, transfer_team = ?2, transfer_refused = NULL
            WHERE transfer_sub = ?1
            """, .optional(account.transferSubject), .text(team), .integer(now.milliseconds))
    }
}

/// A refusal is about one step and one team: its text is the second parameter.
private let isRefused = "(coalesce(a.transfer_refused, '') = ?2)"

// Conditions of an account `a`. The team is the first parameter.
extension TransferStep {
    fileprivate var awaits: String {
        switch self {
        case .export: "(a.transfer_sub IS NULL OR a.transfer_team IS DISTINCT FROM ?1)"
        case .import:
            "(a.transfer_sub IS NOT NULL AND a.transferred_at IS NULL AND coalesce(a.transfer_team, ?1) = ?1)"
        }
    }

    fileprivate var isDone: String {
        switch self {
        case .export: "(a.transfer_sub IS NOT NULL AND a.transfer_team = ?1)"
        case .import: "(a.transferred_at IS NOT NULL AND a.transfer_team = ?1)"
        }
    }

    fileprivate var isForOtherTeam: String {
        switch self {
        case .export: "FALSE"
        case .import: "(a.transfer_sub IS NOT NULL AND a.transferred_at IS NULL AND a.transfer_team <> ?1)"
        }
    }

    /// What the column `transfer_refused` holds.
    fileprivate var refusal: String {
        switch self {
        case .export(let team): "export \(team)"
        case .import(let team): "import \(team)"
        }
    }
}

extension TransferAccount {
    fileprivate func identity(_ transferSubject: String) -> Identity {
        Identity(provider: .apple, subject: subject, email: nil, transferSubject: transferSubject)
    }
}
