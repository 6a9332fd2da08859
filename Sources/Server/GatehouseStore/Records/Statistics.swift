package import Gatehouse
import SQL
import Synchronization

// Statistics for administrators. Maintenance counts the rows of the audit trail, of the messages with codes and of the users
// once, by hour, when they are some minutes old, and keeps how far it has come. A question reads these sums and counts the few
// rows after them. So no request of a user writes for it, and a month among millions of logins is answered at once.

/// A table that is counted.
private struct CountedTable {
    let name: String
    let moment: String
    /// Whether the ids are texts. The others are numbers.
    let hasTextIDs: Bool
    /// The columns kind, provider and detail, and the number that a row stands for, as sums.
    let columns: String
    let condition: String

    static let all = [
        CountedTable(
            name: "audit_events", moment: "moment", hasTextIDs: false,
            columns: """
                kind, CASE WHEN kind IN ('login', 'stale_number_used', 'code_refused') THEN provider END AS provider,
                CASE WHEN kind IN ('login_refused', 'refresh_refused') THEN detail END AS detail, count AS amount
                """,
            condition: "kind IN (\(counted.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"),
        CountedTable(
            name: "code_sends", moment: "moment", hasTextIDs: false,
            columns: "CASE WHEN used THEN 'used' ELSE 'sent' END AS kind, provider, NULL AS detail, 1 AS amount",
            condition: "TRUE"),
        CountedTable(
            name: "users", moment: "created_at", hasTextIDs: true,
            columns: "'new' AS kind, NULL AS provider, NULL AS detail, 1 AS amount", condition: "TRUE"),
    ]

    private static let counted: [AuditEntry.Kind] =
        [.login, .staleNumberUsed, .loginRefused, .refreshRefused, .codeRefused] + endings

    /// The kinds of entries that say that sessions have ended.
    static let endings: [AuditEntry.Kind] = [
        .logout, .logoutEverywhere, .sessionRemoved, .sessionsRevoked, .sessionLimit, .refreshTokenReused,
        .sessionKeyMismatch, .authorizationCodeReused,
    ]

    /// The first row that is counted, if none has been: what is older than any question is left out.
    func start(_ now: Timestamp) -> String {
        hasTextIDs ? Self.firstUser(now - AuthService.longestStatistics) : "0"
    }

    /// An import may bring an id of the future. With the cursor there, nobody would be counted until then.
    func isReached(_ id: String, _ now: Timestamp) -> Bool { !hasTextIDs || id < Self.firstUser(now) }

    private static func firstUser(_ moment: Timestamp) -> String {
        ULID.make("user", at: moment, random: [UInt8](repeating: 0, count: ULID.randomBytes))
    }

    /// The numbers of an emptied table begin at 1 again in SQLite, below those that have been counted.
    var cursor: String {
        hasTextIDs ? "?1" : "(CASE WHEN (SELECT max(id) FROM \(name)) < ?1 THEN 0 ELSE ?1 END)"
    }

    func value(_ cursor: String) -> Value { hasTextIDs ? .text(cursor) : .integer(Int64(cursor) ?? 0) }
}

/// What an hour has of a kind of row.
private struct CountedRows {
    let hour: Int64
    let kind: String
    let provider: String?
    let detail: String?
    let count: Int64

    var series: [StatisticSeries] {
        let kind = AuditEntry.Kind(rawValue: self.kind)
        if let kind, CountedTable.endings.contains(kind) { return [StatisticSeries(.sessions, "ended")] }
        switch kind {
        case .login, .staleNumberUsed:
            return [StatisticSeries(.logins, provider ?? "OTHER"), StatisticSeries(.sessions, "opened")]
        case .loginRefused, .refreshRefused: return [StatisticSeries(.refusals, detail ?? "other")]
        case .codeRefused: return [StatisticSeries(.codes, "\(provider ?? "OTHER") refused")]
        default: break
        }
        // Each new guest is counted like a message.
        if provider == Provider.guest.rawValue { return [StatisticSeries(.users, "guests")] }
        switch self.kind {
        case "new": return [StatisticSeries(.users, "new")]
        // A code that was used was sent before.
        case "used":
            return ["used", "sent"].map { StatisticSeries(.codes, "\(provider ?? "OTHER") \($0)") }
        default: return [StatisticSeries(.codes, "\(provider ?? "OTHER") \(self.kind)")]
        }
    }
}

/// How many rows one step of maintenance counts.
private let countedSlice = 2000
/// A row is counted once it is as old as this: another transaction may still commit one with a lower number, and a code that
/// was sent is used within this time.
private let settlingTime = Duration.seconds(660)
/// The most rows that a question counts, while maintenance is behind.
private let longestTail = 50_000
/// In front of the ids of the rows that say how far a table has been counted. It sorts after all hours.
private let cursorMark = "cursor"

extension RelationalStore {
    package func statistics(from start: Timestamp, to end: Timestamp) throws(Refusal) -> [HourlyCount] {
        let hours = start.hour..<end.hour
        return try reading { connection in
            // One statement, so that both are of one moment.
            let rows = try connection.all(
                "SELECT id, count FROM statistics WHERE id >= ?1 AND id < ?2 OR id >= ?3",
                .text("\(hours.lowerBound)"), .text("\(hours.upperBound)"), .text(cursorMark)
            ) { row in (id: row.text(0), count: row.integer(1)) }
            var counts = rows.compactMap { HourlyCount(id: $0.id, count: $0.count) }
            for table in CountedTable.all {
                let cursor = rows.lazy.compactMap { table.cursor(in: $0.id) }.first ?? table.start(start)
                let tail = try connection.tail(of: table, after: cursor, from: start, to: end)
                counts += tail.flatMap { row in
                    row.series.map { HourlyCount(hour: row.hour, series: $0, count: row.count) }
                }
            }
            return counts
        }
    }

    package func countStatistics(now: Timestamp) throws(Refusal) -> Bool {
        guard purgeCursor.counting.withLock({ $0 <= ContinuousClock.now }) else { return false }
        return try countNow(now)
    }

    /// A step, also within a minute after the last one.
    func countNow(_ now: Timestamp) throws(Refusal) -> Bool {
        var hasMore = false
        for table in CountedTable.all where try count(table, now: now) { hasMore = true }
        if !hasMore { purgeCursor.counting.withLock { $0 = .now + .seconds(60) } }
        return hasMore
    }

    /// Removes what no question asks for, and the merges that cannot be undone any more.
    func purgeSupport(now: Timestamp) throws(Refusal) {
        let oldest = "\((now - AuthService.longestStatistics - .seconds(86_400)).hour)"
        let limit = Value.integer((now - UserMerge.undoTime).milliseconds)
        let isNeeded = try reading { connection in
            try connection.first(
                "SELECT 1 WHERE EXISTS (SELECT 1 FROM merges WHERE moment <= ?1) OR EXISTS ("
                    + "SELECT 1 FROM statistics WHERE id < ?2)", limit, .text(oldest)
            ) { _ in true } ?? false
        }
        guard isNeeded else { return }
        try writing { connection in
            try connection.send("DELETE FROM merges WHERE moment <= ?", limit)
            try connection.send("DELETE FROM statistics WHERE id < ?", .text(oldest))
        }
    }

    private func count(_ table: CountedTable, now: Timestamp) throws(Refusal) -> Bool {
        let cursor = try reading { try $0.cursor(of: table) } ?? table.start(now)
        let settled = try reading { try $0.settled(table, after: cursor, now: now) }
        guard let end = settled.end else { return false }
        return try writing { connection in
            // Another node counts the same rows, or has counted them since.
            guard try connection.lockMaintenance(), try connection.cursor(of: table) ?? table.start(now) == cursor
            else { return false }
            for row in try connection.rows(of: table, after: cursor, through: end) {
                for series in row.series {
                    try connection.add(HourlyCount(hour: row.hour, series: series, count: row.count))
                }
            }
            try connection.send(
                "DELETE FROM statistics WHERE id >= ?1 AND id < ?2", .text(table.cursorID("")),
                .text(table.cursorID("~")))
            try connection.send("INSERT INTO statistics (id, count) VALUES (?, 0)", .text(table.cursorID(end)))
            return settled.isFull
        }
    }
}

extension CountedTable {
    fileprivate func cursorID(_ cursor: String) -> String { "\(cursorMark) \(name) \(cursor)" }

    fileprivate func cursor(in id: String) -> String? {
        let prefix = cursorID("")
        return id.hasPrefix(prefix) ? String(id.dropFirst(prefix.count)) : nil
    }

    /// Sums for each hour and kind of the rows of a query.
    fileprivate func sums(of rows: String) -> String {
        """
        SELECT moment / 3600000 AS hour, kind, provider, detail, CAST(sum(amount) AS BIGINT) FROM (\(rows)) AS counted
        GROUP BY 1, 2, 3, 4
        """
    }
}

extension RecordConnection {
    fileprivate func cursor(of table: CountedTable) throws -> String? {
        try first(
            "SELECT id FROM statistics WHERE id >= ?1 AND id < ?2", .text(table.cursorID("")),
            .text(table.cursorID("~"))
        ) { row in table.cursor(in: row.text(0)) } ?? nil
    }

    /// The last of the next rows that are old enough, and whether there may be more of them. A row from the future was written
    /// by a clock that was wrong, and stops nothing.
    fileprivate func settled(
        _ table: CountedTable, after cursor: String, now: Timestamp
    ) throws -> (end: String?, isFull: Bool) {
        let (limit, latest) = (now - settlingTime, now + ClockAgreement.readinessLimit)
        let rows = try all(
            "SELECT CAST(id AS TEXT), \(table.moment) FROM \(table.name) WHERE id > \(table.cursor) ORDER BY id LIMIT ?2",
            table.value(cursor), .integer(Int64(countedSlice))
        ) { row in (id: row.text(0), moment: row.timestamp(1)) }
        let old = rows.prefix { ($0.moment <= limit || $0.moment > latest) && table.isReached($0.id, now) }
        return (old.last?.id, old.count == countedSlice)
    }

    fileprivate func rows(of table: CountedTable, after cursor: String, through end: String) throws -> [CountedRows] {
        try all(
            table.sums(
                of: """
                    SELECT \(table.moment) AS moment, \(table.columns) FROM \(table.name)
                    WHERE id > \(table.cursor) AND id <= ?2 AND \(table.condition)
                    """), table.value(cursor), table.value(end), read: CountedRows.init(row:))
    }

    fileprivate func tail(
        of table: CountedTable, after cursor: String, from start: Timestamp, to end: Timestamp
    ) throws -> [CountedRows] {
        try all(
            table.sums(
                of: """
                    SELECT \(table.moment) AS moment, \(table.columns) FROM (
                        SELECT * FROM \(table.name) WHERE id > \(table.cursor) ORDER BY id DESC LIMIT \(longestTail)
                    ) AS newest
                    WHERE \(table.moment) >= ?2 AND \(table.moment) < ?3 AND \(table.condition)
                    """), table.value(cursor), .integer(start.milliseconds), .integer(end.milliseconds),
            read: CountedRows.init(row:))
    }

    fileprivate func add(_ count: HourlyCount) throws {
        try send(
            """
            INSERT INTO statistics (id, count) VALUES (?1, ?2)
            ON CONFLICT (id) DO UPDATE SET count = statistics.count + excluded.count
            """, .text("\(count.hour) \(count.series.name.rawValue) \(count.series.key)"), .integer(count.count))
    }
}

extension CountedRows {
    fileprivate init(row: borrowing any SQLRow & ~Copyable) throws {
        self.init(
            hour: row.integer(0), kind: row.text(1), provider: row.optionalText(2), detail: row.optionalText(3),
            count: row.integer(4))
    }
}

extension HourlyCount {
    /// Reads the id of a row; nil for another one.
    fileprivate init?(id: String, count: Int64) {
        let parts = id.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count == 3, let hour = Int64(parts[0]), let name = StatisticSeries.Name(rawValue: parts[1]) else {
            return nil
        }
        self.init(hour: hour, series: StatisticSeries(name, parts[2]), count: count)
    }
}

extension Timestamp {
    /// Hours since 1970.
    fileprivate var hour: Int64 { milliseconds / 3_600_000 }
}
