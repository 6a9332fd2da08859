import Gatehouse
import StoreSupport
import Synchronization
import Testing

@Suite("Rules of a transfer of the app")
struct AppTransferTests {
    private static let noon = Timestamp(seconds: 1_800_000_000)

    /// Apple's answers in their order, and what was asked and written.
    private final class Script: AppleMigration, AppTransferStore {
        let answers: Mutex<[Result<MigratedSubject, AppleMigrationFault>]>
        let log = Mutex<[String]>([])

        init(_ answers: [Result<MigratedSubject, AppleMigrationFault>]) { self.answers = Mutex(answers) }

        private func note(_ text: String) { log.withLock { $0.append(text) } }

        private func next() throws(AppleMigrationFault) -> MigratedSubject {
            try answers.withLock { answers throws(AppleMigrationFault) in try answers.removeFirst().get() }
        }

        func transferSubject(
            of subject: String, to team: String, for clientID: String, now: Timestamp
        ) throws(AppleMigrationFault) -> String {
            note("export \(subject) \(team) \(clientID)")
            return try next().subject
        }

        func subject(
            of transferSubject: String, for clientID: String, now: Timestamp
        ) throws(AppleMigrationFault) -> MigratedSubject {
            note("import \(transferSubject) \(clientID)")
            return try next()
        }

        func transferCounts(for step: TransferStep) throws(Refusal) -> TransferCounts { throw storageFailure }
        func accounts(
            awaiting step: TransferStep, refused: Bool, after id: String, limit: Int
        ) throws(Refusal) -> [TransferAccount] { throw storageFailure }
        func keep(
            transferSubject: String, for team: String, of account: TransferAccount, now: Timestamp
        ) throws(Refusal) -> TransferOutcome {
            note("keep \(transferSubject) \(team)")
            return .done
        }
        func move(
            _ account: TransferAccount, to migrated: MigratedSubject, of team: String, recording event: AuditEntry
        ) throws(Refusal) -> TransferOutcome {
            note("move \(migrated.subject) \(team) \(event.kind.rawValue) \(event.operatorName ?? "")")
            return .done
        }
        func markRefused(_ accounts: [TransferAccount], for step: TransferStep) throws(Refusal) {}
        func record(_ events: [AuditEntry]) throws(Refusal) {
            for event in events { note("\(event.kind.rawValue) \(event.detail ?? "") \(event.count)") }
        }
    }

    private static func account(_ number: Int = 1, client: String? = nil, transfer: String? = "T") -> TransferAccount {
        TransferAccount(
            id: "acct_\(number)", userID: UserID("user_\(number)"), clientID: client, subject: "s\(number)",
            transferSubject: transfer)
    }

    /// What one account's step does, and how long it waited.
    private func perform(
        _ step: TransferStep, _ answers: [Result<MigratedSubject, AppleMigrationFault>],
        of account: TransferAccount = account()
    ) -> (outcome: Result<TransferOutcome, TransferFault>, log: [String], waits: [Duration]) {
        let script = Script(answers)
        let waits = Waits()
        let transfer = AppTransfer(
            step, store: script, apple: script, defaultClientID: "app", now: { Self.noon },
            pause: { wait in waits.all.withLock { $0.append(wait) } }, operatorName: "root")
        let outcome = Result { () throws(TransferFault) in try transfer.perform(account) }
        return (outcome, script.log.withLock { $0 }, waits.all.withLock { $0 })
    }

    private final class Waits: Sendable {
        let all = Mutex<[Duration]>([])
    }

    private static let moved = MigratedSubject(subject: "new")

    @Test("an account is asked about with the app of its token, and otherwise with the first app")
    func clients() {
        #expect(perform(.export(to: "B"), [.success(Self.moved)]).log == ["export s1 B app", "keep new B"])
        let web = perform(.import(into: "B"), [.success(Self.moved)], of: Self.account(client: "web"))
        #expect(web.log == ["import T web", "move new B apple_account_moved root"])
    }

    @Test("without an answer the step waits ever longer, and then ends the run")
    func retries() {
        let silence = Result<MigratedSubject, AppleMigrationFault>.failure(.unavailable("status 503"))
        let third = perform(.import(into: "B"), [silence, silence, .success(Self.moved)])
        #expect(third.outcome == .success(.done) && third.waits == [.seconds(1), .seconds(2)])
        let none = perform(.import(into: "B"), Array(repeating: silence, count: 6))
        #expect(none.outcome == .failure(.apple(.unavailable("status 503"))))
        #expect(none.waits == AppTransfer.delays && none.log.count == 6)
    }

    @Test("a refused user is an outcome, refused credentials end the run; neither is asked about again")
    func refusals() {
        for step in [TransferStep.export(to: "B"), .import(into: "B")] {
            let user = perform(step, [.failure(.userRefused)])
            #expect(user.outcome == .success(.refused) && user.log.count == 1)
            let all = perform(step, [.failure(.credentialsRefused("invalid_client"))])
            #expect(all.outcome == .failure(.apple(.credentialsRefused("invalid_client"))) && all.log.count == 1)
        }
    }

    // MARK: Refusals of all users

    @Test("when Apple moves none of the first users, the run ends and no refusal is kept")
    func refusesAll() {
        var tally = TransferTally()
        for number in 1...TransferTally.longestStreak {
            #expect(!tally.refusesAll)
            #expect(tally.add(.refused, of: Self.account(number)) == [])
        }
        #expect(tally.refusesAll && tally.finish() == [])
    }

    @Test("once Apple has moved a user, refusals are kept, also the earlier ones")
    func refusesSome() {
        var tally = TransferTally()
        _ = tally.add(.refused, of: Self.account(1))
        #expect(tally.add(.done, of: Self.account(2)) == [Self.account(1)])
        for number in 3...40 { #expect(tally.add(.refused, of: Self.account(number)) == [Self.account(number)]) }
        #expect(!tally.refusesAll && tally.refused == 39 && tally.done == 1 && tally.finish() == [])
    }

    @Test("few refusals are kept at the end, and any number when the operator asks again about refused users")
    func fewRefusals() {
        var few = TransferTally()
        _ = few.add(.refused, of: Self.account(1))
        #expect(few.finish() == [Self.account(1)] && few.finish() == [])
        var again = TransferTally(holdsRefusalsBack: false)
        for number in 1...40 { #expect(again.add(.refused, of: Self.account(number)) == [Self.account(number)]) }
        #expect(!again.refusesAll)
    }

    // MARK: What becomes of an account

    private func known(userEmail: String? = "old@privaterelay.appleid.com") -> KnownIdentity {
        let identity = Identity(
            provider: .apple, subject: "s1", email: "old@privaterelay.appleid.com", emailVerified: true,
            transferSubject: "T")
        let user = User(
            id: UserID("user_1"), email: userEmail, emailVerified: true, nickname: nil, createdAt: Self.noon)
        return (LinkedAccount(identity, linkedAt: Self.noon), user)
    }

    private func decide(
        _ known: KnownIdentity, _ migrated: MigratedSubject, others: [LinkedAccount] = []
    ) -> TransferDecision {
        TransferDecision(Self.account(), to: migrated, known: known, accounts: [known.account] + others)
    }

    private static let relayed = MigratedSubject(
        subject: "new", email: "new@privaterelay.appleid.com", isPrivateEmail: true)

    @Test(
        "a user keeps an address that does not come from the account, and an account the one that Apple does not name")
    func otherAddress() throws {
        let other = LinkedAccount(
            Identity(provider: .dev, subject: "d", email: "ann@example.com"), linkedAt: Self.noon)
        let both = decide(known(userEmail: "ann@example.com"), Self.relayed, others: [other])
        guard case .move(_, _, nil) = both else {
            Issue.record("the user's address has changed")
            return
        }
        guard case .move(let account, _, nil) = decide(known(), Self.moved) else {
            Issue.record("an address was changed to none")
            return
        }
        #expect(account.email == "old@privaterelay.appleid.com" && account.emailVerified == true)
    }

    @Test("an identity is barred under its former subject as well")
    func barred() throws {
        let moved = try #require(known().account.updated(from: Self.relayed.identity))
        let late = Identity(provider: .apple, subject: "s1", email: nil)
        #expect(!Set(PlainHashes().hashes(of: moved)).isDisjoint(with: PlainHashes().hashes(of: late)))
    }
}
