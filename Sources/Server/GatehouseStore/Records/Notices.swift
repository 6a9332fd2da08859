package import Gatehouse
import SQL

// The outbox of notices to owners: `NoticeStore`.

extension RelationalStore {
    package func takeNotice(now: Timestamp) throws(Refusal) -> QueuedNotice? {
        // Polled every second, and rarely finds one.
        guard try reading({ try $0.firstNotice(now: now) }) != nil else { return nil }
        return try writing { connection in
            guard let notice = try connection.firstNotice(now: now, Connection.skippingLockedRows) else { return nil }
            try connection.send(
                "UPDATE notices SET attempts = attempts + 1, due_at = ? WHERE id = ?",
                .integer((now + QueuedNotice.lease).milliseconds), .integer(notice.id))
            return notice
        }
    }

    package func postpone(_ notice: QueuedNotice, until moment: Timestamp) throws(Refusal) {
        try writing { connection in
            // Once the lease has ended, another node may have taken it.
            try connection.send(
                "UPDATE notices SET due_at = ? WHERE id = ? AND attempts = ?", .integer(moment.milliseconds),
                .integer(notice.id), .integer(notice.attempts))
        }
    }

    package func finish(_ notice: QueuedNotice) throws(Refusal) {
        try writing { connection in
            try connection.send(
                "UPDATE notices SET due_at = NULL, address = '' WHERE id = ?", .integer(notice.id))
        }
    }
}

private func list(_ kinds: [OutgoingMessage.Notice]) -> String {
    kinds.map { "'\($0.rawValue)'" }.joined(separator: ", ")
}

private let knownKinds = list(OutgoingMessage.Notice.allCases)
private let isOptional = """
    CASE WHEN kind IN (\(list(OutgoingMessage.Notice.allCases.filter(\.isOptional)))) THEN 1 ELSE 0 END
    """

extension RecordConnection {
    /// Queues the notices of a change, unless the user has had as many as permitted. The addresses are in the table until then.
    ///
    /// Each channel counts for itself, and what a setting can turn off does not count against the rest: who reads the user's mail
    /// must not use up what tells the owner of the former number.
    func insert(_ notices: [OwnerNotice]) throws {
        for notice in notices {
            let moment = notice.moment
            try send(
                """
                INSERT INTO notices (user_id, kind, provider, address, moment, due_at, expires_at)
                SELECT ?1, ?2, ?3, ?4, CAST(?5 AS BIGINT), CAST(?5 AS BIGINT), CAST(?6 AS BIGINT)
                WHERE (SELECT count(*) FROM notices WHERE user_id = ?1 AND moment > ?7 AND moment <= ?9
                    AND provider = ?3 AND \(isOptional) = CAST(?10 AS BIGINT)) <= ?8
                """,
                .text(notice.userID.text), .text(notice.content.rawValue),
                .text(notice.to.channel.provider.rawValue), .text(notice.to.text), .integer(moment.milliseconds),
                .integer((moment + QueuedNotice.lifetime).milliseconds),
                .integer((moment - OwnerNotice.window).milliseconds), .integer(notice.content.permittedBefore),
                .integer((moment + ClockAgreement.readinessLimit).milliseconds),
                .integer(notice.content.isOptional ? 1 : 0))
        }
    }

    /// One that is due later than any delay was postponed by a clock that was wrong. A kind of a later version is left to its nodes.
    fileprivate func firstNotice(now: Timestamp, _ locking: String = "") throws -> QueuedNotice? {
        try first(
            """
            SELECT id, user_id, kind, provider, address, moment, attempts FROM notices
            WHERE (due_at <= ?1 OR due_at > ?2) AND kind IN (\(knownKinds)) ORDER BY due_at LIMIT 1 \(locking)
            """,
            .integer(now.milliseconds), .integer((now + OwnerNotice.window).milliseconds)
        ) { row in try QueuedNotice(row: row) }
    }
}

extension QueuedNotice {
    fileprivate init(row: borrowing any SQLRow & ~Copyable) throws {
        guard let content = OutgoingMessage.Notice(rawValue: row.text(2)),
            let channel = CodeChannel(try row.case(Provider.self, at: 3))
        else { throw UnreadableValue("a notice of another version") }
        let notice = OwnerNotice(
            content, of: UserID(row.text(1)), to: CodeAddress(channel, row.text(4)), at: row.timestamp(5))
        self.init(id: row.integer(0), notice: notice, attempts: row.integer(6) + 1)
    }
}
