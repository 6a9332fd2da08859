import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("A transfer of the app in the store")
struct AppTransferStoreTests {
    private let database: TestDatabase
    private let store: any ServerStore
    private let noon = SampleLogin.noon
    private static let export = TransferStep.export(to: "TEAMB")
    private static let `import` = TransferStep.import(into: "TEAMB")

    init() throws { (database, store) = try TestDatabase.opened() }

    @discardableResult
    private func add(_ number: Int, transfer: String? = nil) throws -> User {
        let email = "relay\(number)@privaterelay.appleid.com"
        let user = SampleLogin.user(number, email: email)
        var identity = SampleLogin.identity("s\(number)", email: email)
        identity.transferSubject = transfer
        _ = try store.create(user, with: SampleLogin.login("\(number)", of: user, as: identity))
        return user
    }

    private func waiting(_ step: TransferStep, refused: Bool = false) throws -> [TransferAccount] {
        try store.accounts(awaiting: step, refused: refused, after: "", limit: 100)
    }

    private func counts(_ step: TransferStep) throws -> [Int] {
        let counts = try store.transferCounts(for: step)
        return [
            counts.waiting, counts.refused, counts.done, counts.forOtherTeam, counts.withoutTransferSubject,
        ]
    }

    private func exportAll() throws {
        for account in try waiting(Self.export) {
            #expect(
                try store.keep(transferSubject: "T" + account.subject, for: "TEAMB", of: account, now: noon) == .done)
        }
    }

    private func move(
        _ account: TransferAccount, to subject: String, email: String? = nil
    ) throws -> TransferOutcome {
        try store.move(
            account, to: MigratedSubject(subject: subject, email: email, isPrivateEmail: email == nil ? nil : true),
            of: "TEAMB", recording: AuditEntry(.appleAccountMoved, at: noon, by: .operator, provider: .apple))
    }

    @Test("an account waits for its export, then for its import, and is done after it")
    func steps() throws {
        let ann = try add(1)
        try add(2)
        #expect(try counts(Self.export) == [2, 0, 0, 0, 2] && counts(Self.import) == [0, 0, 0, 0, 2])
        try exportAll()
        #expect(try waiting(Self.export).isEmpty && counts(Self.export) == [0, 0, 2, 0, 0])
        let accounts = try waiting(Self.import)
        #expect(accounts.map(\.transferSubject) == ["Ts1", "Ts2"])
        #expect(try move(accounts[0], to: "n1", email: "new@privaterelay.appleid.com") == .done)
        #expect(try waiting(Self.import) == [accounts[1]] && counts(Self.import) == [1, 0, 1, 0, 0])

        let account = try #require(try store.accounts(of: ann.id).first)
        #expect(account.subject == "n1" && account.formerSubject == "s1" && account.transferSubject == "Ts1")
        #expect(account.emailVerified == true && account.isPrivateEmail == true)
        let user = try #require(try store.user(ann.id))
        #expect(user.email == "new@privaterelay.appleid.com" && user.emailVerified)
        #expect(try store.auditEvents(of: ann.id).map(\.kind) == [.login, .appleAccountMoved])
        #expect(try store.sessions(of: ann.id, aliveAt: noon).count == 1)
    }

    @Test("pages follow each other by the id of the account")
    func pages() throws {
        for number in 1...3 { try add(number) }
        let first = try store.accounts(awaiting: Self.export, refused: false, after: "", limit: 2)
        let last = try #require(first.last)
        let second = try store.accounts(awaiting: Self.export, refused: false, after: last.id, limit: 2)
        #expect((first + second).map(\.subject) == ["s1", "s2", "s3"])
    }

    @Test("services are told of another address, and of nothing else")
    func events() throws {
        let ann = try add(1)
        try add(2)
        try exportAll()
        try store.register([EventSubscription(name: "r", types: nil)], now: noon)
        let accounts = try waiting(Self.import)
        #expect(try move(accounts[0], to: "n1", email: "new@privaterelay.appleid.com") == .done)
        #expect(try move(accounts[1], to: "n2") == .done)
        let events = try store.dueEvents(for: "r", now: noon, limit: 10).map(\.event)
        #expect(events == [UserEvent(.updated(["email", "emailVerified"]), of: ann.id, at: noon)])
    }

    @Test("an export for another team asks again, and an import leaves out what is for another team")
    func otherTeam() throws {
        try add(1)
        try exportAll()
        let other = TransferStep.export(to: "TEAMC")
        #expect(try counts(other) == [1, 0, 0, 0, 0])
        #expect(try counts(.import(into: "TEAMC")) == [0, 0, 0, 1, 0])
        let account = try #require(try waiting(other).first)
        #expect(try store.keep(transferSubject: "C1", for: "TEAMC", of: account, now: noon) == .done)
        #expect(try counts(.import(into: "TEAMC")) == [1, 0, 0, 0, 0] && counts(Self.import) == [0, 0, 0, 1, 0])
    }

    @Test("a transfer subject of which the team is not known, from a token or an import of users, can be imported")
    func unknownTeam() throws {
        try add(1, transfer: "T")
        #expect(try waiting(Self.import).map(\.transferSubject) == ["T"])
        #expect(try waiting(Self.export).count == 1, "a new transfer may have another one")
    }

    @Test("a refusal is kept for its step and its team")
    func refused() throws {
        try add(1)
        try store.markRefused(try waiting(Self.export), for: Self.export)
        #expect(try waiting(Self.export).isEmpty && waiting(Self.export, refused: true).count == 1)
        #expect(try counts(Self.export) == [0, 1, 0, 0, 1])
        #expect(try waiting(.export(to: "TEAMC")).count == 1)
        let account = try #require(try waiting(Self.export, refused: true).first)
        #expect(try store.keep(transferSubject: "T1", for: "TEAMB", of: account, now: noon) == .done)
        #expect(try counts(Self.import) == [1, 0, 0, 0, 0], "refused for the export alone")
        try store.markRefused(try waiting(Self.import), for: Self.import)
        #expect(try counts(Self.import) == [0, 1, 0, 0, 0] && counts(Self.export) == [0, 0, 1, 0, 0])
    }

    @Test(
        "a login with the new subject moves the account, and the import after it changes the address alone",
        arguments: [false, true])
    func loginFirst(isReadBefore: Bool) throws {
        let ann = try add(1)
        try exportAll()
        let before = try waiting(Self.import)
        var identity = SampleLogin.identity("n1")
        identity.transferSubject = "Ts1"
        #expect(try store.add(SampleLogin.login("x", of: SampleLogin.user(9), as: identity))?.id == ann.id)
        let account = try #require(try isReadBefore ? before.first : waiting(Self.import).first)
        #expect(account.subject == (isReadBefore ? "s1" : "n1"))
        let email = isReadBefore ? nil : "new@privaterelay.appleid.com"
        #expect(try move(account, to: "n1", email: email) == .done && waiting(Self.import).isEmpty)
        let moved = try #require(try store.accounts(of: ann.id).first)
        #expect(moved.subject == "n1" && moved.formerSubject == "s1")
        let expected = email ?? "relay1@privaterelay.appleid.com"
        #expect(try store.user(ann.id)?.email == expected)
        let moves = try store.auditEvents(of: ann.id).filter { $0.kind == .appleAccountMoved }
        #expect(moves.count == (isReadBefore ? 0 : 1))
    }

    @Test("a user who signed in as a new one is a conflict: nothing is merged, and the account waits on")
    func conflict() throws {
        let ann = try add(1)
        try exportAll()
        let other = SampleLogin.user(2)
        _ = try store.create(other, with: SampleLogin.login("2", of: other, as: SampleLogin.identity("n1")))
        let account = try #require(try waiting(Self.import).first)
        #expect(try move(account, to: "n1", email: "new@privaterelay.appleid.com") == .conflict(other.id))
        #expect(try store.accounts(of: ann.id).map(\.subject) == ["s1"] && waiting(Self.import) == [account])
        #expect(try store.user(ann.id) == ann && store.user(other.id) == other)
    }

    @Test("a transfer subject that another account has is a conflict")
    func sameTransferSubject() throws {
        let ann = try add(1, transfer: "T")
        try add(2)
        let account = try #require(try waiting(Self.export).last)
        #expect(try store.keep(transferSubject: "T", for: "TEAMB", of: account, now: noon) == .conflict(ann.id))
    }

    @Test("an account that was removed or has changed meanwhile is left alone")
    func gone() throws {
        let ann = try add(1)
        try exportAll()
        let account = try #require(try waiting(Self.import).first)
        _ = try store.delete(ann.id, recording: AuditEntry(.userDeleted, at: noon, userID: ann.id))
        #expect(try store.keep(transferSubject: "T", for: "TEAMC", of: account, now: noon) == .gone)
        #expect(try move(account, to: "n1") == .gone)
    }

    @Test("a token of the former team finds the user after the import, and the account stays as it is")
    func formerToken() throws {
        let ann = try add(1)
        try exportAll()
        let account = try #require(try waiting(Self.import).first)
        #expect(try move(account, to: "n1", email: "new@privaterelay.appleid.com") == .done)
        let late = SampleLogin.identity("s1", email: "relay1@privaterelay.appleid.com")
        #expect(try store.add(SampleLogin.login("x", of: SampleLogin.user(9), as: late))?.id == ann.id)
        #expect(try store.accounts(of: ann.id).map(\.subject) == ["n1"])
        #expect(try store.user(ann.id)?.email == "new@privaterelay.appleid.com")
    }
}
