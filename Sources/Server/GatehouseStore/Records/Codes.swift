package import Gatehouse
import SQL

extension RelationalStore {
    package func knownNumbers(among numbers: [String]) throws(Refusal) -> Set<String> {
        try reading { connection in
            Set(
                try numbers.filter { number in
                    try connection.first(
                        "SELECT 1 FROM auth_accounts WHERE provider = 'PHONE' AND provider_user_id = ?", .text(number)
                    ) { _ in true } ?? false
                })
        }
    }

    package func codeFacts(of send: CodeSend, limits: CodeLimits) throws(Refusal) -> CodeFacts {
        try reading { try $0.codeFacts(of: send, limits: limits) }
    }

    package func record(
        _ send: CodeSend, limits: CodeLimits, by decide: @escaping (CodeFacts) -> (CodeDecision, wait: Duration)
    ) throws(Refusal) -> (decision: CodeDecision, wait: Duration) {
        try writing { connection in
            try connection.lockCodes()
            let (decision, wait) = decide(try connection.codeFacts(of: send, limits: limits))
            switch decision {
            case .refuse: break
            case .resend(let code): try connection.insert(send.keys, of: code.idHash, at: send.moment)
            case .send(let code):
                try connection.insert(code)
                try connection.insert(send.keys, of: code.idHash, at: send.moment)
            }
            return (decision, wait)
        }
    }

    package func releaseAddress(of send: CodeSend, code idHash: [UInt8]) throws(Refusal) {
        try writing { connection in
            // Counted on by each limit that does not protect the address alone.
            try connection.send(
                "UPDATE code_sends SET address = ?1 WHERE code = ?2 AND moment = ?3", .blob([]), .blob(idHash),
                .integer(send.moment.milliseconds))
            // No client has heard of the id of a code that is new.
            try connection.send("DELETE FROM codes WHERE hash = ?", .blob(send.idHash))
        }
    }

    package func countTry(ofCode idHash: [UInt8], now: Timestamp) throws(Refusal) -> StoredCode? {
        // A read is enough for an id that an attacker has made up.
        guard let code = try reading({ try $0.code(idHash) }), code.isAlive(now: now) else { return nil }
        return try writing { try $0.countTry(ofCode: idHash, now: now) }
    }
}

// MARK: - Codes

// Constants, so that they are not built for each request.
private let codeByHash = "SELECT \(StoredCode.columns.selected) FROM codes WHERE hash = ?"
private let countOneTry = """
    UPDATE codes SET tries = tries + 1 WHERE hash = ? AND tries < ? AND expires_at > ? AND expires_at <= ?
    RETURNING \(StoredCode.columns.selected)
    """

extension RecordConnection {
    func code(_ idHash: [UInt8]) throws -> StoredCode? {
        try first(codeByHash, .blob(idHash)) { row in try StoredCode(idHash, row: row) }
    }

    fileprivate func insert(_ code: StoredCode) throws {
        try send(StoredCode.columns.insert, values: code.insertedValues(after: .blob(code.idHash)))
    }

    /// One statement, so that tries at the same time are all counted.
    fileprivate func countTry(ofCode idHash: [UInt8], now: Timestamp) throws -> StoredCode? {
        try first(
            countOneTry, .blob(idHash), .integer(Int64(StoredCode.permittedTries)), .integer(now.milliseconds),
            .integer(StoredCode.latestExpiry(now: now).milliseconds)
        ) { row in try StoredCode(idHash, row: row) }
    }

    /// The code is gone, and its messages count as used.
    func markUsed(code idHash: [UInt8]) throws {
        try send("DELETE FROM codes WHERE hash = ?", .blob(idHash))
        try send("UPDATE code_sends SET used = TRUE WHERE code = ?", .blob(idHash))
    }
}

extension StoredCode: Record {
    static let columns = ColumnList(of: StoredCode.self, in: "codes", after: ["hash"])

    static var unread: StoredCode {
        StoredCode(
            idHash: [], address: CodeAddress(.phone, ""), seed: [], hash: [], expiresAt: Timestamp(milliseconds: 0))
    }

    fileprivate init(_ idHash: [UInt8], row: borrowing AnyRow) throws {
        try self.init(row: row)
        self.idHash = idHash
    }

    mutating func visitColumns(_ column: inout some ColumnVisitor, _ row: borrowing AnyRow) throws {
        try column("provider", &address.channel, row)
        try column("address", &address.text, row)
        try column("seed", &seed, row)
        try column("code_hash", &hash, row)
        try column("tries", &tries, row)
        try column("expires_at", &expiresAt, row)
    }
}

// MARK: - Messages

extension RecordConnection {
    /// - Parameter idHash: of the code; empty for a new guest, who is counted like a message.
    func insert(_ keys: CodeKeys, of idHash: [UInt8], at moment: Timestamp) throws {
        try send(
            """
            INSERT INTO code_sends (moment, code, provider, country, address, prefix, prefix_network, client, network)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(moment.milliseconds), .blob(idHash), .text(keys.provider.rawValue),
            .optional(keys.country), .blob(keys.address), .optional(keys.prefix),
            .optional(keys.prefixFromNetwork), .optional(keys.client), .optional(keys.network))
    }

    fileprivate func codeFacts(of send: CodeSend, limits: CodeLimits) throws -> CodeFacts {
        let (keys, now) = (send.keys, send.moment)
        var facts = CodeFacts()
        let most = (limits.perAddress + limits.perAddressAndNetwork).map(\.count).max() ?? 1
        facts.sent = try messages(to: keys, now: now, atMost: most)
        facts.sentFromNetwork = try keys.network.map { try messages(to: keys, from: $0, now: now, atMost: most) } ?? []
        facts.isKnownNetwork = try isKnownNetwork(keys, since: now - CodeLimits.knownNetworkMemory)
        facts.exhausted = try limits.quotas(isKnownNetwork: facts.isKnownNetwork).compactMap {
            try exhausted($0, keys, now: now)
        }
        if limits.leastUse > 0 {
            facts.shares = try [CodeScope.prefix, .country].compactMap { try share($0, keys, now) }
        }
        facts.resendable = try send.resentHash.flatMap(code).flatMap { code in
            code.isResendable(to: send.address, now: now) ? code : nil
        }
        return facts
    }

    /// A message of the future was counted by a clock that was wrong, and would count for too long.
    ///
    /// - Parameter network: nil for all networks.
    private func messages(
        to keys: CodeKeys, from network: [UInt8]? = nil, now: Timestamp, atMost count: Int
    ) throws -> [Timestamp] {
        let (start, end) = (now - CodeLimits.longestWindow, now + ClockAgreement.readinessLimit)
        return try all(
            """
            SELECT moment FROM code_sends WHERE address = ?1 AND coalesce(network, '') = coalesce(?2, network, '')
                AND moment > ?3 AND moment <= ?4
            ORDER BY moment DESC LIMIT ?5
            """,
            .blob(keys.address), .optional(network), .integer(start.milliseconds), .integer(end.milliseconds),
            .integer(Int64(count))
        ) { row in row.timestamp(0) }
    }

    private func isKnownNetwork(_ keys: CodeKeys, since start: Timestamp) throws -> Bool {
        guard let network = keys.network else { return false }
        return try first(
            "SELECT 1 FROM code_sends WHERE address = ? AND moment > ? AND network = ? AND used LIMIT 1",
            .blob(keys.address), .integer(start.milliseconds), .blob(network)
        ) { _ in true } ?? false
    }

    /// Nil if the quota permits another message. The oldest message that counts tells when it will.
    func exhausted(_ quota: CodeQuota, _ keys: CodeKeys, now: Timestamp) throws -> CodeFacts.Exhausted? {
        guard quota.rate.count > 0 else { return CodeFacts.Exhausted(quota.scope, until: now + quota.rate.window) }
        guard let (column, key) = keys.key(of: quota.scope) else { return nil }
        // Of all messages with a key, only those of the channel count, and none of the future.
        return try first(
            """
            SELECT moment FROM code_sends WHERE \(column) = ? AND provider = ? AND moment > ? AND moment <= ?
            ORDER BY moment DESC LIMIT 1 OFFSET ?
            """,
            key, .text(keys.provider.rawValue), .integer((now - quota.rate.window).milliseconds),
            .integer((now + ClockAgreement.readinessLimit).milliseconds), .integer(Int64(quota.rate.count - 1))
        ) { row in CodeFacts.Exhausted(quota.scope, until: row.timestamp(0) + quota.rate.window) }
    }

    /// Without messages that were not sent: codes that nobody got could not be used.
    private func share(_ scope: CodeScope, _ keys: CodeKeys, _ now: Timestamp) throws -> CodeFacts.Share? {
        guard let (column, key) = keys.key(of: scope) else { return nil }
        let end = now - StoredCode.lifetime
        return try first(
            """
            SELECT count(*), count(CASE WHEN used THEN 1 END), count(DISTINCT network) FROM code_sends
            WHERE \(column) = ? AND moment > ? AND moment <= ? AND length(address) > 0
            """,
            key, .integer((end - CodeLimits.shareWindow).milliseconds), .integer(end.milliseconds)
        ) { row in
            CodeFacts.Share(
                scope, sent: Int(row.integer(0)), used: Int(row.integer(1)), networks: Int(row.integer(2)))
        }
    }
}

extension CodeKeys {
    /// The column of `code_sends` that a scope counts by, and its value. Nil where the message has no such key.
    fileprivate func key(of scope: CodeScope) -> (column: String, Value)? {
        switch scope {
        case .client: client.map { ("client", .blob($0)) }
        case .network: network.map { ("network", .blob($0)) }
        case .prefix: prefix.map { ("prefix", .blob($0)) }
        case .prefixFromNetwork: prefixFromNetwork.map { ("prefix_network", .blob($0)) }
        case .country: country.map { ("country", .text($0)) }
        case .channel: ("provider", .text(provider.rawValue))
        case .address, .addressFromNetwork, .unused: nil
        }
    }
}
