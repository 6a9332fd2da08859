import Gatehouse
import GatehouseStore
import SQL
import StoreSupport
import TestSupport
import Testing

@Suite("The Apple outbox")
struct AppleOutboxTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let raw: any ScriptConnection
    private let noon = SampleLogin.noon
    private let ann = SampleLogin.user(1)
    private let bob = SampleLogin.user(2)

    init() throws {
        (database, store) = try TestDatabase.opened()
        raw = try database.connection()
    }

    private func exchange(of user: User) -> AppleTask {
        AppleTask(
            kind: .exchange, userID: user.id, clientID: "app", sealed: [1], dueAt: noon,
            expiresAt: noon + AppleTask.codeLifetime)
    }

    private func logIn(_ user: User, as subject: String, queueing task: AppleTask? = nil) throws {
        var login = SampleLogin.login(user.id.text, of: user, as: SampleLogin.identity(subject))
        login.task = task
        #expect(try store.create(user, with: login))
    }

    private func token(of user: User) throws -> [UInt8]? {
        try raw.first("SELECT refresh_token FROM auth_accounts WHERE user_id = ?", .text(user.id.text)) {
            $0.optionalBlob(0)
        } ?? nil
    }

    private func event(_ user: User, at moment: Timestamp? = nil) -> AuditEntry {
        AuditEntry(.userDeleted, at: moment ?? noon, userID: user.id)
    }

    /// The delays between the attempts of a task, in seconds, until it is given up.
    private func delays(from start: Timestamp, atMost count: Int) throws -> [Int64] {
        var (now, delays) = (start, [Int64]())
        for _ in 0..<count {
            try store.purgeAll(PurgeLimits(at: now))
            guard let task = try store.takeAppleTask(now: now) else { break }
            try store.postpone(task, now: now)
            let due = try raw.first("SELECT due_at FROM apple_tasks") { $0.integer(0) } ?? 0
            #expect(try store.takeAppleTask(now: Timestamp(milliseconds: due - 1)) == nil)
            delays.append((due - now.milliseconds) / 1000)
            now = Timestamp(milliseconds: due)
        }
        return delays
    }

    @Test("an exchange is retried with backoff until its code expires")
    func exchangeDelays() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let delays = try delays(from: noon, atMost: 100)
        #expect(delays.prefix(6) == [1, 2, 4, 8, 16, 30])
        #expect(delays.dropFirst(5).allSatisfy { $0 == 30 })
        #expect(delays.reduce(0, +) >= 300 && delays.dropLast().reduce(0, +) < 300)
        #expect(store.unfinishedAppleTasks == 0)
    }

    @Test("a code that has expired by one clock alone is still exchanged: Apple decides by its own")
    func expiredByOneClock() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        #expect(try store.takeAppleTask(now: noon + .seconds(86_400)) != nil)
        #expect(store.unfinishedAppleTasks == 1)
    }

    @Test("a task that a clock far ahead has postponed is due again once two clocks agree")
    func postponedByWrongClock() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let wrong = noon + .seconds(91 * 86_400)
        try store.postpone(try #require(try store.takeAppleTask(now: wrong)), now: wrong)
        #expect(try store.takeAppleTask(now: noon + .seconds(1)) == nil)
        try store.purgeAll(PurgeLimits(at: noon + .seconds(1)))
        #expect(try store.takeAppleTask(now: noon + .seconds(1)) != nil)
    }

    @Test("a revocation is retried without limit, at last once an hour")
    func revocationDelays() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let task = try #require(try store.takeAppleTask(now: noon))
        try store.finish(task, sealing: { _ in [2] }, of: "ann", now: noon)
        #expect(try store.delete(ann.id, queueing: nil, recording: event(ann))?.revocation == .queued)
        let delays = try delays(from: noon, atMost: 100)
        #expect(delays.count == 100)
        #expect(delays.prefix(13) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600])
        #expect(delays.last == 3600)
    }

    @Test("the task that has been due longest is taken first, and none before it is due")
    func order() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        #expect(try store.takeAppleTask(now: noon + .seconds(-1)) == nil)
        let first = try #require(try store.takeAppleTask(now: noon))
        #expect(first.userID == ann.id && first.sealed == [1] && first.attempts == 0)
        try logIn(bob, as: "bob", queueing: exchange(of: bob))
        #expect(try store.takeAppleTask(now: noon + .seconds(60))?.userID == bob.id)
        let second = try #require(try store.takeAppleTask(now: noon + .seconds(60)))
        #expect(second.userID == ann.id && second.attempts == 1)
    }

    @Test("a task that is neither finished nor postponed is taken again when its lease ends, by another node")
    func lease() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let first = try #require(try store.takeAppleTask(now: noon))
        let end = noon + AppleTask.lease
        #expect(try store.takeAppleTask(now: end + .milliseconds(-1)) == nil)
        let other = try database.store()
        let second = try #require(try other.takeAppleTask(now: end))
        #expect(second.id == first.id && second.attempts == 1)
        // The first node was slow. It must not shorten the lease of the second one.
        try store.postpone(first, now: end)
        #expect(try store.takeAppleTask(now: end + AppleTask.lease + .milliseconds(-1)) == nil)
        try other.postpone(second, now: end)
        #expect(try store.takeAppleTask(now: end + .seconds(2))?.attempts == 2)
    }

    @Test("concurrent workers take a task once")
    func concurrent() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let taken = try Concurrently.run(16) { [store, noon] _ in try store.takeAppleTask(now: noon) }
        #expect(taken.compactMap { $0 }.count == 1)
    }

    @Test(
        "a task that another transaction has locked is left to it, and the next one is taken",
        .enabled(if: TestDatabase.isOnServer, "only a server locks rows"))
    func lockedTask() throws {
        try logIn(ann, as: "s1", queueing: exchange(of: ann))
        try logIn(bob, as: "s2", queueing: exchange(of: bob))
        try raw.executeScript("BEGIN")
        _ = try raw.first("SELECT 1 FROM apple_tasks WHERE user_id = ? FOR UPDATE", .text(ann.id.text)) { _ in 0 }
        #expect(try store.takeAppleTask(now: noon)?.userID == bob.id)
        #expect(try store.takeAppleTask(now: noon) == nil)
        try raw.executeScript("ROLLBACK")
        #expect(try store.takeAppleTask(now: noon)?.userID == ann.id)
    }

    @Test(
        "the token for a code is stored with the account that Apple names, and discarded if it is another user's",
        arguments: [("ann", true), ("bob", true), ("bob", false)])
    func stored(subject: String, isBobKnown: Bool) throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        if isBobKnown { try logIn(bob, as: "bob") }
        let task = try #require(try store.takeAppleTask(now: noon))
        try store.finish(task, sealing: { _ in [9] }, of: subject, now: noon)
        #expect(try token(of: ann) == (subject == "ann" ? [9] : nil) && token(of: bob) == nil)
        #expect(store.unfinishedAppleTasks == 0)
    }

    @Test("the token of a deleted user is revoked, unless the identity has a new account")
    func deletedUser() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let task = try #require(try store.takeAppleTask(now: noon))
        #expect(try store.delete(ann.id, queueing: nil, recording: event(ann))?.revocation == .queued)
        try store.finish(task, sealing: { _ in [9] }, of: "ann", now: noon)
        let revocation = try #require(try store.takeAppleTask(now: noon))
        #expect(revocation.kind == .revoke && revocation.sealed == [9] && revocation.userID == ann.id)
        try store.finish(revocation)
        try logIn(bob, as: "ann")
        try store.finish(task, sealing: { _ in [9] }, of: "ann", now: noon)
        #expect(store.unfinishedAppleTasks == 0)
    }

    @Test("a deletion returns `byHand` if the queued tasks have expired or have another purpose")
    func byHand() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        let late = noon + AppleTask.codeLifetime
        #expect(try store.delete(ann.id, queueing: nil, recording: event(ann, at: late))?.revocation == .byHand)
        try logIn(bob, as: "bob")
        try raw.run(
            "INSERT INTO apple_tasks (kind, user_id, client_id, secret, due_at) VALUES ('revoke', ?, 'app', ?, 0)",
            .text(bob.id.text), .blob([1]))
        #expect(try store.delete(bob.id, queueing: nil, recording: event(bob))?.revocation == .byHand)
    }

    @Test("a new code is queued even if another one is waiting")
    func freshCode() throws {
        try logIn(ann, as: "ann", queueing: exchange(of: ann))
        #expect(try store.delete(ann.id, queueing: exchange(of: ann), recording: event(ann))?.revocation == .queued)
        #expect(store.unfinishedAppleTasks == 2)
    }
}
