/// An import of users while servers may use the same database. A server sees a user after the batch that creates them.
package struct UserImport {
    private let store: any OperatorStore
    private let hasher: (any IdentityHasher)?
    private let platform: Platform
    private let writes: Bool
    /// The entry of the audit trail, which counts the users of all batches.
    private var run: ImportRun
    /// Of a dry run, whose users never come into the database.
    private var soFar = ImportedSoFar()
    /// After a batch that found existing users, the next one is read before it is written: an import that is run again
    /// passes the users that it has created without a transaction.
    private var readsFirst = false

    /// - Parameters:
    ///   - hasher: recognises identities that were removed from disabled users; nil if there are none.
    ///   - writes: false for a dry run.
    package init(
        into store: any OperatorStore, hasher: (any IdentityHasher)?, platform: Platform, operatorName: String?,
        writes: Bool
    ) {
        (self.store, self.hasher, self.platform, self.writes) = (store, hasher, platform, writes)
        run = ImportRun(operatorName: operatorName, hasher: hasher)
    }

    /// Imports the users of some lines, in one transaction.
    package mutating func add(_ users: [ImportedUser]) throws(Refusal) -> [ImportDecision] {
        guard !users.isEmpty else { return [] }
        let users = try withKnownForms(users)
        let makeID = makeID
        run.moment = platform.now()
        if !writes || readsFirst {
            let facts = try store.importFacts(of: users, hasher: hasher)
            var known = ImportedSoFar()
            // Not copied: that of a dry run is large.
            swap(&known, &soFar)
            let decisions = Self.decide(users, on: facts, &known, makeID: makeID)
            if !writes { soFar = known }
            if !writes || !decisions.contains(where: \.isCreation) { return decisions }
        }
        let (decisions, entry) = try store.record(users, in: run) { facts in
            var known = ImportedSoFar()
            return Self.decide(users, on: facts, &known, makeID: makeID)
        }
        run.auditEntry = entry
        readsFirst = decisions.contains { !$0.isCreation }
        return decisions
    }

    /// A number that an account has in another form gets that form.
    private func withKnownForms(_ users: [ImportedUser]) throws(Refusal) -> [ImportedUser] {
        let others = users.flatMap { $0.identities.compactMap(\.identity.otherForm) }
        let known = others.isEmpty ? [] : try store.knownNumbers(among: others.map(\.subject))
        guard !known.isEmpty else { return users }
        return users.map { user in
            var user = user
            user.identities = user.identities.map { imported in
                guard let other = imported.identity.otherForm, known.contains(other.subject) else { return imported }
                return ImportedIdentity(identity: other, linkedAt: imported.linkedAt)
            }
            return user
        }
    }

    /// As the store has it.
    package func writesOfOthers() throws(Refusal) -> Int64? { writes ? try store.writesOfOthers() : nil }

    private static func decide(
        _ users: [ImportedUser], on facts: [ImportFacts], _ known: inout ImportedSoFar,
        makeID: (Timestamp) -> UserID
    ) -> [ImportDecision] {
        zip(users, facts).map { user, facts in
            let decision = user.decide(on: known.adding(to: facts, of: user), makeID: makeID)
            if case .create(let new) = decision { known.add(new, from: user) }
            return decision
        }
    }

    private var makeID: @Sendable (Timestamp) -> UserID {
        let random = platform.random
        // The ids of a dry run only keep the users of its lines apart.
        let prefix = writes ? "user" : "new"
        return { moment in UserID(ULID.make(prefix, at: moment, random: random(ULID.randomBytes))) }
    }
}

extension Identity {
    /// The identity of the same number in another form.
    fileprivate var otherForm: Identity? {
        guard provider == .phone, let forms = (try? PhoneNumber(ofAnyKind: subject))?.forms, forms.count > 1 else {
            return nil
        }
        return Identity(provider: .phone, subject: forms[1], email: nil)
    }
}

extension ImportDecision {
    var isCreation: Bool { if case .create = self { true } else { false } }
}

/// What the batches of an import share.
package struct ImportRun: Sendable {
    package let operatorName: String?
    package let hasher: (any IdentityHasher)?
    package var moment = Timestamp(milliseconds: 0)
    /// The entry of the audit trail; nil before the first user.
    package var auditEntry: Int64?

    package init(operatorName: String?, hasher: (any IdentityHasher)? = nil) {
        (self.operatorName, self.hasher) = (operatorName, hasher)
    }

    /// One entry for the whole import. Its count grows with each batch.
    package func event(count: Int) -> AuditEntry {
        var event = AuditEntry(.usersImported, at: moment, by: .operator, count: Int64(count))
        event.operatorName = operatorName
        return event
    }

    /// An entry for a user who may do more than others; nil for others.
    package func roleEvent(of user: User) -> AuditEntry? {
        guard user.role != .user else { return nil }
        var event = AuditEntry(.roleChanged, at: moment, by: .operator, userID: user.id, detail: user.role.rawValue)
        event.operatorName = operatorName
        return event
    }
}

extension Administration {
    /// An import in the name of this operator.
    package func userImport(
        hasher: (any IdentityHasher)?, platform: Platform, writes: Bool
    ) -> UserImport {
        UserImport(into: store, hasher: hasher, platform: platform, operatorName: operatorName, writes: writes)
    }
}
