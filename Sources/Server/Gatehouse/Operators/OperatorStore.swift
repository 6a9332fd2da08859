/// The queries and changes that only operators need.
package protocol OperatorStore: Store, OperatorEventStore, NoticeStore, AppTransferStore {
    /// The newest first.
    func users(_ query: UserQuery) throws(Refusal) -> [UserRecord]

    /// The user with this id, or the users with this email address in any case. A deleted user is found by id only.
    func users(called name: String) throws(Refusal) -> [FoundUser]

    /// Disables an active user and ends their sessions. False, and nothing is changed, when there is no such user.
    func disable(_ id: UserID, recording event: AuditEntry) throws(Refusal) -> Bool

    /// Enables a disabled user, and unbars the identities of one whose account was removed. False, and nothing is
    /// changed, when there is no such user.
    func enable(_ id: UserID, recording event: AuditEntry) throws(Refusal) -> Bool

    /// False, and nothing is changed, when there is no such user or the user has the role already.
    func setRole(_ role: Role, of id: UserID, recording event: AuditEntry) throws(Refusal) -> Bool

    /// The newest entries that match, in the order in which they happened.
    func auditEvents(_ query: AuditQuery) throws(Refusal) -> [AuditEntry]

    /// The entries of the audit trail after one, in the order of their numbers.
    func auditEntries(
        after number: Int64, through last: Int64, limit: Int
    ) throws(Refusal) -> [NumberedEntry]

    /// The last entry before which no other one can appear any more: a transaction may commit an entry after one with a higher
    /// number. Waits for such transactions, for some seconds at most. 0 without an entry.
    func lastSettledEntry() throws(Refusal) -> Int64

    // MARK: Import and export

    /// Whether a disabled user's identity is barred.
    func hasBarredIdentities() throws(Refusal) -> Bool

    /// The facts about users to be imported, in their order.
    ///
    /// - Parameter hasher: nil if no identity is barred.
    func importFacts(
        of users: [ImportedUser], hasher: (any IdentityHasher)?
    ) throws(Refusal) -> [ImportFacts]

    /// Creates the users that `decide` creates, in one transaction with the entry of the audit trail. Returns the entry: it
    /// is made with the first user of the import, and later batches add to its count.
    func record(
        _ users: [ImportedUser], in run: ImportRun, by decide: @escaping ([ImportFacts]) -> [ImportDecision]
    ) throws(Refusal) -> (decisions: [ImportDecision], auditEntry: Int64?)

    /// A number that changes when another process writes to the database. Nil if writers do not wait for each other.
    func writesOfOthers() throws(Refusal) -> Int64?

    /// The next users that are not deleted, sorted by id, with their accounts.
    func exportedUsers(after last: UserID?, limit: Int) throws(Refusal) -> [ExportedUser]

    /// Tells the servers of this database to read the revocation log. Called even if nothing was changed: an earlier
    /// command may have been killed between its change and this call.
    func incrementRevocationCounter()
}

/// Selects users for an operator.
package struct UserQuery: Sendable, Equatable {
    /// Nil for all users but the deleted.
    package var status: UserStatus?
    package var role: Role?
    /// For the next page: only users created before this one.
    package var before: UserID?
    package var limit: Int

    package init(status: UserStatus? = nil, role: Role? = nil, before: UserID? = nil, limit: Int) {
        (self.status, self.role, self.before, self.limit) = (status, role, before, limit)
    }
}

/// A user, with the data that only operators see.
package struct UserRecord: Sendable, Equatable {
    package let user: User
    package let updatedAt: Timestamp
    package let lastLoginAt: Timestamp?
    package let lastLoginProvider: Provider?
    /// The providers of the user's accounts.
    package let providers: [Provider]

    package init(
        user: User, updatedAt: Timestamp, lastLoginAt: Timestamp?, lastLoginProvider: Provider?, providers: [Provider]
    ) {
        self.user = user
        self.updatedAt = updatedAt
        self.lastLoginAt = lastLoginAt
        self.lastLoginProvider = lastLoginProvider
        self.providers = providers
    }
}

/// A user found by an id or an email address.
package struct FoundUser: Sendable, Equatable {
    package let record: UserRecord
    /// Whether the user was found by id, or by an address that a provider has confirmed.
    package let isProven: Bool

    package init(record: UserRecord, isProven: Bool) {
        (self.record, self.isProven) = (record, isProven)
    }
}
