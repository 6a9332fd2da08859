package import Gatehouse
import POSIX
import SQL

// A database in a file has no clock, so it keeps the last time known.

extension SQLiteStore {
    package func lastKnownTime() throws(Refusal) -> KnownTime? {
        try reading { connection in
            if let kept = try connection.document(DocumentName.lastKnownTime) {
                return KnownTime(document: kept)
            }
            // Written by a program that did not keep it.
            return try connection.newestMoment().map { KnownTime(moment: $0, uptime: nil) }
        }
    }

    package func keep(_ time: KnownTime) throws(Refusal) {
        try writing { try $0.keep(time.document(boot: MachineUptime.bootID), as: DocumentName.lastKnownTime) }
    }
}

extension KnownTime {
    /// - Parameter boot: names this run of the machine. The time of another run tells nothing of this one, even if this
    ///   one is longer.
    init(document: Document, boot: String? = MachineUptime.bootID) {
        let parts = String(decoding: document.content, as: UTF8.self).split(separator: " ")
        let uptime = parts.count == 2 && parts.last.map(String.init) == boot ? parts.first.flatMap { Int64($0) } : nil
        self.init(moment: document.updatedAt, uptime: uptime.map(Duration.milliseconds))
    }

    func document(boot: String?) -> Document {
        let content = uptime.flatMap { uptime in boot.map { "\(uptime.milliseconds) \($0)" } } ?? ""
        return Document(content: Array(content.utf8), updatedAt: moment)
    }

    /// The earlier of the time of a clock and the time that is expected by this knowledge.
    func earliest(_ now: Timestamp, uptime: Duration) -> Timestamp {
        min(now, now - reading(now: now, uptime: uptime).lead)
    }
}

extension PostgreSQLStore {
    package func readClock() throws(Refusal) -> Timestamp? { try reading { try $0.databaseTime() } }

    package func exchangeClockReports(_ lead: Duration, of node: String) throws(Refusal) -> [Duration] {
        try writing { try $0.exchangeClockReports(lead, of: DocumentName.nodeClockPrefix + node) }
    }
}

/// Where the database has a clock: in question are those of the nodes.
extension RecordConnection {
    fileprivate func databaseTime() throws -> Timestamp? {
        try first("SELECT gatehouse_now()") { $0.timestamp(0) }
    }

    fileprivate func exchangeClockReports(_ lead: Duration, of name: String) throws -> [Duration] {
        try send(
            """
            INSERT INTO documents (name, content, updated_at) VALUES (?, ?, gatehouse_now())
            ON CONFLICT (name) DO UPDATE SET content = excluded.content, updated_at = excluded.updated_at
            """,
            .text(name), .blob(Array(String(lead.milliseconds).utf8)))
        return try all(
            """
            SELECT content FROM documents WHERE name LIKE '\(DocumentName.nodeClockPrefix)%' AND name <> ?
            AND updated_at BETWEEN gatehouse_now() - 60000 AND gatehouse_now() + 60000
            """,
            .text(name)
        ) { row in Int64(String(decoding: row.blob(0), as: UTF8.self)).map(Duration.milliseconds) }
        .compactMap { $0 }
    }
}

extension RelationalStore {
    /// Deletes the reports of nodes that have ended.
    func removeClockReports(before limit: Timestamp) throws(Refusal) {
        let names = try reading { connection in
            try connection.all(
                "SELECT name FROM documents WHERE name LIKE '\(DocumentName.nodeClockPrefix)%' AND updated_at < ?",
                .integer(limit.milliseconds)
            ) { $0.text(0) }
        }
        guard !names.isEmpty else { return }
        try writing { connection in
            for name in names {
                try connection.send(
                    "DELETE FROM documents WHERE name = ? AND updated_at < ?", .text(name),
                    .integer(limit.milliseconds))
            }
        }
    }
}
