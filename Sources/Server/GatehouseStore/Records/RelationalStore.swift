package import Gatehouse
package import SQL

/// A store in tables. What it reads and writes is the same in each database: the statements and rules in this folder. The
/// databases differ in how transactions are run and made durable, and in how concurrent ones are kept apart.
package protocol RelationalStore: OperatorStore {
    associatedtype Connection: RecordConnection

    /// Runs a read. Its statements need not see the same state.
    func read<Result>(_ body: (Connection) throws -> Result) throws(StoreFailure) -> Result

    /// Runs a transaction. It has been committed when this returns.
    ///
    /// - Parameter body: must only use the connection: it may run more than once, and on any thread.
    func write<Result>(_ body: @escaping (Connection) throws -> Result) throws(StoreFailure) -> Result

    var purgeCursor: PurgeCursor { get }
}

extension RelationalStore {
    /// Runs a read for the store contract.
    func reading<Result>(_ body: (Connection) throws -> Result) throws(Refusal) -> Result {
        try refusing { () throws(StoreFailure) in try read(body) }
    }

    /// Runs a write for the store contract. It has been committed when this returns.
    func writing<Result>(_ body: @escaping (Connection) throws -> Result) throws(Refusal) -> Result {
        try refusing { () throws(StoreFailure) in try write(body) }
    }
}

/// Where a failure of the store becomes the refusal of a request.
func refusing<Result>(_ work: () throws(StoreFailure) -> Result) throws(Refusal) -> Result {
    do throws(StoreFailure) { return try work() } catch { throw .storageUnavailable(error) }
}

/// The locks that a transaction takes in a database with concurrent writers. With one writer they do nothing.
///
/// Locks are held until the end of the transaction. All transactions take them in the order of these methods.
package protocol RecordConnection: SQLConnection {
    /// Waits for other transactions that redeem the same token or nonce, or use the same proof.
    func lock(_ redemption: Redemption?, _ proof: ProofUse?) throws

    /// Waits for other transactions that count messages with codes.
    func lockCodes() throws

    /// Waits for other acts of support.
    func lockSupport() throws

    /// Waits for other transactions of the identity: also when it has no user yet.
    func lock(_ identity: Identity) throws

    /// Waits for other transactions of these identities, which have no user yet. It does not wait for those that change a
    /// user: this transaction changes none.
    func lock(_ identities: [Identity]) throws

    /// Waits for other transactions that change the user, or what belongs to the user.
    func lock(_ user: UserID) throws

    /// Waits for other transactions that change a session of the user.
    func lockSessions(of user: UserID) throws

    /// Waits for other transactions that change the session.
    func lock(_ session: SessionID) throws

    /// False if another node does maintenance at the moment.
    func lockMaintenance() throws -> Bool

    /// The user of each identity, by any of its subjects.
    func owners(of identities: [Identity]) throws -> [UserID?]

    /// Those of the ids that a user has.
    func statuses(of ids: [UserID]) throws -> [UserID: UserStatus]

    /// Takes tasks of the outbox that no other transaction has taken: appended to a query for rows of `apple_tasks`.
    static var skippingLockedRows: String { get }

    /// An expression: the time by the clock of the database, in milliseconds.
    static var clock: String { get }

    /// An expression: the number of the last entry that this transaction has added to the audit trail.
    static var lastEntry: String { get }

    /// The providers at which a user `u` has an account, the oldest account first, as a text with spaces between them.
    static var providersOfUser: String { get }
}
