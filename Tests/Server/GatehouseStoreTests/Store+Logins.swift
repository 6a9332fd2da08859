import Gatehouse
import GatehouseStore
import StoreSupport
import Testing

/// Operations with the results that tests compare.
extension Store {
    /// False if the identity already has a user.
    func create(_ user: User, with login: LoginFixture) throws -> Bool {
        try record(login) == .recorded(user, ended: [])
    }

    /// A new user of Apple's subject `sNUMBER`, with the session `sess_NUMBER`.
    @discardableResult
    func signUp(_ number: Int = 1) throws -> User {
        let user = SampleLogin.user(number)
        let login = SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("s\(number)"))
        guard try create(user, with: login) else { throw StoreFailure("the identity has a user") }
        return user
    }

    /// The user after the login; nil if the login was refused.
    func add(_ login: LoginFixture) throws -> User? {
        guard case .recorded(let user, _) = try record(login) else { return nil }
        return user
    }

    func delete(_ id: UserID, recording event: AuditEntry) throws -> [SessionID]? {
        try delete(id, queueing: nil, recording: event)?.ended.map(\.id)
    }
}

extension OperatorStore {
    /// The user with this identity.
    func user(provider: Provider, subject: String) throws -> User? {
        try users(UserQuery(limit: 100)).map(\.user).first { user in
            try accounts(of: user.id).contains { $0.provider == provider && $0.subject == subject }
        }
    }
}

extension ServerStore {
    /// The number of tasks in the outbox; -1 if it cannot be read.
    var unfinishedAppleTasks: Int {
        statistics().appleBacklog.map { $0.reduce(0) { $0 + $1.count } } ?? -1
    }
}

extension TestDatabase {
    /// A new database, opened as a server does.
    static func opened() throws -> (database: TestDatabase, store: any ServerStore) {
        let database = try TestDatabase()
        return (database, try database.store())
    }
}

extension PurgeLimits {
    /// Of what is not named, nothing is removed.
    init(
        at now: Timestamp? = nil, sessions: Timestamp = Timestamp(seconds: 0),
        redemptions: Timestamp = Timestamp(seconds: 0), revocations: Timestamp = Timestamp(seconds: 0),
        audit: Timestamp = Timestamp(seconds: 0), codeSends: Timestamp? = nil
    ) {
        self.init(
            now: now, sessionsExpired: sessions, redemptionsExpired: redemptions, revocationsBefore: revocations,
            auditEventsBefore: audit, codeSendsBefore: codeSends)
    }
}

extension Store {
    /// What maintenance does, until there is nothing more to remove.
    func purgeAll(_ limits: PurgeLimits) throws {
        for _ in 0..<1000 where try !purge(limits) { return }
        Issue.record("the purge does not end")
    }
}

/// Asks again while the database gives no answer in time: on a busy machine, a store on PostgreSQL refuses requests that wait for
/// others, and has done nothing then.
func answered<Result>(_ ask: () throws -> Result) throws -> Result {
    for _ in 0..<100 {
        do {
            return try ask()
        } catch let error as StoreFailure where error.cause == .unreachable {
            continue
        } catch Refusal.storageUnavailable(let error) where error.cause == .unreachable {
            continue
        }
    }
    return try ask()
}
