package import Gatehouse
import SQL

extension RelationalStore {
    package func userRecord(_ id: UserID) throws(Refusal) -> UserRecord? { try reading { try $0.userRecord(id) } }

    package func search(
        _ search: SupportSearch, after cursor: NicknameCursor?, limit: Int
    ) throws(Refusal) -> [UserMatch] {
        try reading { connection in
            let named = try connection.users(named: search, limit: limit - 1)
            // Those whom the text names exactly are on the first page only, and on no other one again.
            let known = Set(named.map(\.record.user.id))
            var page = cursor == nil ? named : []
            let similar = try connection.users(similarTo: search, after: cursor, limit: limit)
            page += similar.filter { !known.contains($0.user.id) }.map { UserMatch($0, by: .nickname) }
            return Array(page.prefix(limit))
        }
    }

    package func auditPage(_ selection: AuditSelection) throws(Refusal) -> AuditPage {
        try reading { try $0.auditPage(selection) }
    }

    package func auditEntries(after number: Int64, through last: Int64, limit: Int) throws(Refusal) -> [NumberedEntry] {
        try reading { try $0.auditEntries(after: number, through: last, limit: limit) }
    }

    package func standings() throws(Refusal) -> Standings {
        try reading { connection in
            // The literals show that the rows are in `users_by_role` and `users_by_status`.
            let roles = try connection.all(
                "SELECT role, count(*) FROM users WHERE role <> 'USER' AND status = 'ACTIVE' GROUP BY role"
            ) { row in (role: try row.case(Role.self, at: 0), count: Int(row.integer(1))) }
            let disabled = try connection.first(
                "SELECT count(*) FROM users WHERE status <> 'ACTIVE' AND status = 'DISABLED'"
            ) { row in Int(row.integer(0)) }
            func count(_ role: Role) -> Int { roles.first { $0.role == role }?.count ?? 0 }
            return Standings(
                administrators: count(.admin), superAdministrators: count(.superAdmin), disabled: disabled ?? 0)
        }
    }
}

/// The statements of searches. Tests read their plans.
enum UserLookup {
    static let byPhone = "SELECT user_id FROM auth_accounts WHERE provider = 'PHONE' AND provider_user_id = ?1"

    static let byAddress = """
        SELECT id FROM users WHERE email IS NOT NULL AND lower(email) IN (?1, ?2)
        UNION SELECT user_id FROM auth_accounts WHERE email IS NOT NULL AND lower(email) IN (?1, ?2) ORDER BY 1 LIMIT ?3
        """

    /// The indexes begin with the provider. There are few, so each is looked up: a step of the recursion finds the next one
    /// with one search of the index.
    static let bySubject = """
        WITH RECURSIVE providers (provider) AS (
            SELECT min(provider) FROM auth_accounts
            UNION ALL SELECT (SELECT min(a.provider) FROM auth_accounts a WHERE a.provider > p.provider)
            FROM providers p WHERE p.provider IS NOT NULL)
        SELECT (SELECT user_id FROM auth_accounts WHERE provider = p.provider AND provider_user_id = ?1),
            (SELECT user_id FROM auth_accounts WHERE provider = p.provider AND union_sub = ?1),
            (SELECT min(user_id) FROM auth_accounts WHERE provider = p.provider AND former_sub = ?1)
        FROM providers p WHERE p.provider IS NOT NULL AND (?2 = '' OR p.provider = ?2)
        """

    static func record(providers: String) -> String {
        "SELECT \(recordColumns), \(providers) FROM users u WHERE u.id = ?1"
    }

    static func byNickname(providers: String) -> String {
        """
        SELECT \(recordColumns), \(providers) FROM users u
        WHERE u.nickname IS NOT NULL AND lower(u.nickname) >= ?1 AND lower(u.nickname) < ?2
            AND (lower(u.nickname) > ?1 OR u.id > ?3)
        ORDER BY lower(u.nickname), u.id LIMIT ?4
        """
    }
}

extension RecordConnection {
    func userRecord(_ id: UserID) throws -> UserRecord? {
        try first(UserLookup.record(providers: Self.providersOfUser), .text(id.text)) { row in
            var columns = ColumnCounter()
            return try UserRecord(row: row, &columns)
        }
    }

    /// Each user once, by the first way in the order of the cases.
    fileprivate func users(named search: SupportSearch, limit: Int) throws -> [UserMatch] {
        var found: [(id: String, way: UserMatch.Way)] = [(search.text, .id)]
        for phone in search.phones {
            found += try all(UserLookup.byPhone, .text(phone)) { ($0.text(0), .phone) }
        }
        if search.text.utf8.contains(UInt8(ascii: "@")) {
            found += try all(
                UserLookup.byAddress, .text(search.text.withLowerASCII), .text(search.text.lowercased()),
                .integer(Int64(limit))
            ) { ($0.text(0), .email) }
        }
        for (provider, subject) in [("", search.text)] + (search.qualified.map { [($0.rawValue, $1)] } ?? []) {
            let rows = try all(UserLookup.bySubject, .text(subject), .text(provider)) { row in
                (0..<3).compactMap { row.optionalText($0) }
            }
            found += rows.joined().map { ($0, .subject) }
        }
        var matches: [UserMatch] = []
        for (id, way) in found where !matches.contains(where: { $0.record.user.id.text == id }) {
            guard matches.count < limit else { break }
            if let record = try userRecord(UserID(id)) { matches.append(UserMatch(record, by: way)) }
        }
        return matches
    }

    fileprivate func users(
        similarTo search: SupportSearch, after cursor: NicknameCursor?, limit: Int
    ) throws -> [UserRecord] {
        // A nickname that changes while pages are read moves to another place; the others are each read once.
        let start = cursor.map { max($0.nickname, search.nicknamePrefix, by: utf8Order) } ?? search.nicknamePrefix
        return try all(
            UserLookup.byNickname(providers: Self.providersOfUser), .text(start),
            // The last character of Unicode, which no text uses.
            .text(search.nicknamePrefix + "\u{10FFFF}"), .text(cursor?.user.text ?? ""), .integer(Int64(limit))
        ) { row in
            var columns = ColumnCounter()
            return try UserRecord(row: row, &columns)
        }
    }
}

/// The order of the databases, which compare bytes.
private func utf8Order(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
}

private func max(_ first: String, _ second: String, by precedes: (String, String) -> Bool) -> String {
    precedes(first, second) ? second : first
}

// MARK: - The audit trail

private let numberedColumns = """
    e.id, \(AuditEntry.columns.selected(from: "e")), a.reason, a.request_id
    """

extension AuditSelection {
    /// How many entries a page looks at. An index by kind would cost each login time.
    static let window = 10_000

    /// The newest entries before `?1`: with `limit` as `?2`, and the user, or else the actor, as `?3`.
    static func statement(_ selection: AuditSelection) -> String {
        if selection.actor != nil {
            return """
                SELECT e.* FROM audit_acts s JOIN audit_events e ON e.id = s.id
                WHERE s.actor IS NOT NULL AND s.actor = ?3 AND s.id < ?1 ORDER BY s.id DESC LIMIT ?2
                """
        }
        guard selection.userID != nil else {
            return "SELECT * FROM audit_events WHERE id < ?1 AND CAST(?3 AS TEXT) IS NULL ORDER BY id DESC LIMIT ?2"
        }
        // Not by the column itself: PostgreSQL would read the whole trail backwards for a user with few entries.
        return "SELECT * FROM audit_events WHERE user_id = ?3 AND id < ?1 ORDER BY id + 0 DESC LIMIT ?2"
    }

    fileprivate var isFiltered: Bool { !kinds.isEmpty || address != nil || actor != nil && userID != nil }

    /// With a space before and after each.
    fileprivate var kindList: String? { kinds.isEmpty ? nil : kinds.reduce(" ") { $0 + $1.rawValue + " " } }
}

extension RecordConnection {
    fileprivate func auditPage(_ selection: AuditSelection) throws -> AuditPage {
        let limit = selection.isFiltered ? AuditSelection.window : selection.limit + 1
        let window = AuditSelection.statement(selection)
        let parameters: [Value] = [
            .integer(selection.before), .integer(Int64(limit)),
            .optional(selection.actor ?? selection.userID?.text),
        ]
        let entries = try all(
            """
            SELECT \(numberedColumns) FROM (\(window)) AS e LEFT JOIN audit_acts a ON a.id = e.id
            WHERE (CAST(?4 AS TEXT) IS NULL OR replace(?4, ' ' || e.kind || ' ', '') <> ?4)
                AND (CAST(?5 AS TEXT) IS NULL OR e.user_id = ?5) AND (CAST(?6 AS TEXT) IS NULL OR e.address = ?6)
            ORDER BY e.id DESC LIMIT ?7
            """,
            parameters[0], parameters[1], parameters[2], .optional(selection.kindList),
            .optional(selection.userID?.text), .optional(selection.address), .integer(Int64(selection.limit + 1)),
            read: NumberedEntry.init(row:))
        let page = Array(entries.prefix(selection.limit))
        if entries.count > selection.limit { return AuditPage(entries: page, next: page.last?.number) }
        guard selection.isFiltered else { return AuditPage(entries: page, next: nil) }
        let end = try first(
            "SELECT min(id), count(*) FROM (\(window)) AS e", parameters[0], parameters[1], parameters[2]
        ) { row in (number: row.optionalInteger(0), count: Int(row.integer(1))) }
        return AuditPage(entries: page, next: end.flatMap { $0.count == limit ? $0.number : nil })
    }

    fileprivate func auditEntries(after number: Int64, through last: Int64, limit: Int) throws -> [NumberedEntry] {
        try all(
            """
            SELECT \(numberedColumns) FROM audit_events e LEFT JOIN audit_acts a ON a.id = e.id
            WHERE e.id > ?1 AND e.id <= ?2 ORDER BY e.id LIMIT ?3
            """,
            .integer(number), .integer(last), .integer(Int64(limit)), read: NumberedEntry.init(row:))
    }
}

extension RecordConnection {
    /// The number that an expression has, with what follows it.
    func number(_ expression: String) throws -> Int64 { try first("SELECT \(expression)") { $0.integer(0) } ?? 0 }
}

extension NumberedEntry {
    /// Reads `numberedColumns`.
    fileprivate init(row: borrowing any SQLRow & ~Copyable) throws {
        var columns = ColumnCounter()
        let number = row.integer(columns.next())
        self.init(
            number: number, entry: try AuditEntry(row: row, &columns), reason: row.optionalText(columns.next()),
            requestID: row.optionalText(columns.next()))
    }
}
