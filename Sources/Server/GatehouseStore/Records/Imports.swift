package import Gatehouse
import SQL

extension RelationalStore {
    package func hasBarredIdentities() throws(Refusal) -> Bool {
        try reading { try $0.first("SELECT 1 FROM barred_identities LIMIT 1") { _ in true } ?? false }
    }

    package func importFacts(
        of users: [ImportedUser], hasher: (any IdentityHasher)?
    ) throws(Refusal) -> [ImportFacts] {
        try reading { try $0.importFacts(of: users, hasher: hasher) }
    }

    package func record(
        _ users: [ImportedUser], in run: ImportRun, by decide: @escaping ([ImportFacts]) -> [ImportDecision]
    ) throws(Refusal) -> (decisions: [ImportDecision], auditEntry: Int64?) {
        try writing { connection in
            try connection.lock(users.flatMap { $0.identities.map(\.identity) })
            let decisions = decide(try connection.importFacts(of: users, hasher: run.hasher))
            let created = decisions.compactMap { decision in
                if case .create(let new) = decision { new } else { nil }
            }
            guard !created.isEmpty else { return (decisions, run.auditEntry) }
            for new in created { try connection.insert(new, in: run) }
            return (decisions, try connection.count(created.count, in: run))
        }
    }
}

extension RecordConnection {
    fileprivate func importFacts(of users: [ImportedUser], hasher: (any IdentityHasher)?) throws -> [ImportFacts] {
        let owners = try self.owners(of: users.flatMap { $0.identities.map(\.identity) })
        let statuses = try statuses(of: users.compactMap(\.id))
        var (facts, next) = ([ImportFacts](), 0)
        facts.reserveCapacity(users.count)
        for user in users {
            let own = Array(owners[next..<next + user.identities.count])
            next += own.count
            facts.append(
                ImportFacts(
                    owners: own, statusOfID: user.id.flatMap { statuses[$0] },
                    barredFrom: try own.contains { $0 != nil } ? nil : barred(user, by: hasher),
                    hasKnownPasskey: try user.identities.flatMap(\.passkeys).contains {
                        try passkey($0.credentialID) != nil
                    }))
        }
        return facts
    }

    private func barred(_ user: ImportedUser, by hasher: (any IdentityHasher)?) throws -> UserID? {
        guard let hasher else { return nil }
        return try owner(ofBarred: user.identities.flatMap { hasher.hashes(of: $0.identity) })
    }

    fileprivate func insert(_ new: NewUser, in run: ImportRun) throws {
        let user = new.user
        try insert(user, lastLoginAt: new.lastLoginAt, by: nil, now: run.moment)
        if !user.attributes.isEmpty { try setAttributes(user.attributes, of: user.id, now: run.moment) }
        for account in new.accounts { try insert(account, of: user.id) }
        for account in new.accounts where account.provider == .passkey {
            for passkey in new.passkeys { try insert(passkey, of: account.provider, account.subject) }
        }
        if let event = run.roleEvent(of: user) { try insert(event) }
    }

    /// Adds to the entry of the audit trail, which an import that is killed leaves with the users that it has created.
    fileprivate func count(_ created: Int, in run: ImportRun) throws -> Int64? {
        if let entry = run.auditEntry {
            try send(
                "UPDATE audit_events SET count = count + ?2 WHERE id = ?1", .integer(entry), .integer(Int64(created)))
            return entry
        }
        let event = run.event(count: created)
        return try first(
            """
            INSERT INTO audit_events (moment, kind, actor, count, operator) VALUES (?, ?, ?, ?, ?) RETURNING id
            """,
            .integer(event.moment.milliseconds), .text(event.kind.rawValue), .text(event.actor.rawValue),
            .integer(event.count), .optional(event.operatorName)
        ) { $0.integer(0) }
    }
}
