import Gatehouse
import GatehouseStore
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("The queue of what is to be asked of Apple")
struct AppleQueueTests {
    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let raw: Connection
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)
    private let bob = SampleLogin.user(2)

    init() throws {
        folder = try TemporaryFolder()
        let path = folder.file("gatehouse.db")
        store = try SQLiteStore(path: path)
        raw = try Connection(path: path, access: .readWrite)
        raw.setBusyTimeout(milliseconds: 5000)
    }

    private func exchange(of user: User) -> AppleTask {
        AppleTask(
            kind: .exchange, userID: user.id, clientID: "app", sealed: [1], dueAt: noon,
            expiresAt: noon + AppleTask.codeLifetime)
    }

    private func signIn(_ user: User, as subject: String, asking task: AppleTask? = nil) throws {
        var login = SampleLogin.login(user.id.text, of: user, as: SampleLogin.identity(subject))
        login.task = task
        #expect(try store.create(user, with: login))
    }

    private func token(of user: User) throws -> [UInt8]? {
        try raw.first("SELECT refresh_token FROM auth_accounts WHERE user_id = ?", .text(user.id.text)) {
            $0.optionalBlob(0)
        } ?? nil
    }

    private func event(_ user: User, at moment: Timestamp? = nil) -> AuditEvent {
        AuditEvent(.userDeleted, at: moment ?? noon, userID: user.id)
    }

    /// The waits between one attempt and the next, as long as there is one.
    private func pauses(from start: Timestamp, atMost count: Int) throws -> [Int64] {
        var (now, pauses) = (start, [Int64]())
        for _ in 0..<count {
            guard try store.takeAppleTask(now: now) != nil else { break }
            let due = try raw.first("SELECT due_at FROM apple_tasks") { $0.integer(0) } ?? 0
            #expect(try store.takeAppleTask(now: Timestamp(milliseconds: due - 1)) == nil)
            pauses.append((due - now.milliseconds) / 1000)
            now = Timestamp(milliseconds: due)
        }
        return pauses
    }

    @Test("asks for a code again after ever longer pauses, until the code is worth nothing")
    func exchangePauses() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        let pauses = try pauses(from: noon, atMost: 100)
        #expect(pauses.prefix(6) == [1, 2, 4, 8, 16, 30])
        #expect(pauses.dropFirst(5).allSatisfy { $0 == 30 })
        #expect(pauses.reduce(0, +) >= 300 && pauses.dropLast().reduce(0, +) < 300)
        #expect(try store.appleTasks() == 0)
    }

    @Test("asks for a revocation for ever, in the end once an hour")
    func revocationPauses() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        let task = try #require(try store.takeAppleTask(now: noon))
        try store.finish(task, with: [2], of: "ann", now: noon)
        #expect(try store.delete(ann.id, asking: nil, noting: event(ann))?.revocation == .queued)
        let pauses = try pauses(from: noon, atMost: 100)
        #expect(pauses.count == 100)
        #expect(pauses.prefix(13) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600])
        #expect(pauses.last == 3600)
    }

    @Test("gives what is due longest first, and nothing that is not due")
    func order() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        #expect(try store.takeAppleTask(now: noon + .seconds(-1)) == nil)
        let first = try #require(try store.takeAppleTask(now: noon))
        #expect(first.userID == ann.id && first.sealed == [1] && first.attempts == 0)
        try signIn(bob, as: "bob", asking: exchange(of: bob))
        #expect(try store.takeAppleTask(now: noon + .seconds(60))?.userID == bob.id)
        let second = try #require(try store.takeAppleTask(now: noon + .seconds(60)))
        #expect(second.userID == ann.id && second.attempts == 1)
    }

    @Test("gives one task to one of those who ask at once")
    func crowd() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        let taken = try Crowd.of(16) { [store, noon] _ in try store.takeAppleTask(now: noon) }
        #expect(taken.compactMap { $0 }.count == 1)
    }

    @Test("keeps what came of a code with the account that Apple names")
    func kept() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        let task = try #require(try store.takeAppleTask(now: noon))
        try store.finish(task, with: [9], of: "ann", now: noon)
        #expect(try token(of: ann) == [9])
        #expect(try store.appleTasks() == 0)
    }

    @Test("drops what came of somebody else's code, whether we know them or not", arguments: [true, false])
    func stranger(_ isKnown: Bool) throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        if isKnown { try signIn(bob, as: "bob") }
        let task = try #require(try store.takeAppleTask(now: noon))
        try store.finish(task, with: [9], of: "bob", now: noon)
        #expect(try token(of: ann) == nil && token(of: bob) == nil)
        #expect(try store.appleTasks() == 0)
    }

    @Test("takes back what came of a code whose user is gone, but not from who has signed in again")
    func gone() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        let task = try #require(try store.takeAppleTask(now: noon))
        #expect(try store.delete(ann.id, asking: nil, noting: event(ann))?.revocation == .queued)
        try store.finish(task, with: [9], of: "ann", now: noon)
        let revocation = try #require(try store.takeAppleTask(now: noon))
        #expect(revocation.kind == .revoke && revocation.sealed == [9] && revocation.userID == ann.id)
        try store.finish(revocation)
        try signIn(bob, as: "ann")
        try store.finish(task, with: [9], of: "ann", now: noon)
        #expect(try store.appleTasks() == 0)
    }

    @Test("is asked once for a login, however often it is repeated")
    func repeated() throws {
        var login = SampleLogin.login("1", of: ann, as: SampleLogin.identity("ann"))
        login.redemption = Redemption(
            tokenHash: [1], nonceHash: nil, moment: noon, grace: .seconds(60), expiresAt: noon + .seconds(600))
        login.task = exchange(of: ann)
        #expect(try store.create(ann, with: login))
        var again = SampleLogin.login("2", of: ann, as: SampleLogin.identity("ann"))
        (again.redemption, again.task) = (login.redemption, login.task)
        #expect(try store.add(again) != nil)
        #expect(try store.appleTasks() == 1)
    }

    @Test("says by hand where all that waits is about something else, or has run out")
    func byHand() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        let late = noon + AppleTask.codeLifetime
        #expect(try store.delete(ann.id, asking: nil, noting: event(ann, at: late))?.revocation == .byHand)
        try signIn(bob, as: "bob")
        try raw.execute(
            script: """
                INSERT INTO apple_tasks (kind, user_id, client_id, secret, due_at)
                VALUES ('revoke', '\(bob.id.text)', 'app', x'01', 0)
                """)
        #expect(try store.delete(bob.id, asking: nil, noting: event(bob))?.revocation == .byHand)
    }

    @Test("takes a fresh code although another one waits, which may come to nothing")
    func freshCode() throws {
        try signIn(ann, as: "ann", asking: exchange(of: ann))
        #expect(try store.delete(ann.id, asking: exchange(of: ann), noting: event(ann))?.revocation == .queued)
        #expect(try store.appleTasks() == 2)
    }
}
