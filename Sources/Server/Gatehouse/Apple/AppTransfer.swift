/// Moves the accounts at Apple when the app is transferred to another developer team, since each team has subjects and private
/// relay addresses of its own: Apple's technical note TN3159. What is done is in the database, so a run that was killed goes on
/// where it was.
package struct AppTransfer: Sendable {
    package let step: TransferStep
    private let store: any AppTransferStore
    private let apple: any AppleMigration
    private let defaultClientID: String
    private let now: @Sendable () -> Timestamp
    private let pause: @Sendable (Duration) -> Void
    private let operatorName: String?

    /// - Parameters:
    ///   - defaultClientID: for accounts of which it is not known for which app they were made.
    ///   - pause: waits before another attempt.
    package init(
        _ step: TransferStep, store: any AppTransferStore, apple: any AppleMigration, defaultClientID: String,
        now: @escaping @Sendable () -> Timestamp, pause: @escaping @Sendable (Duration) -> Void,
        operatorName: String? = nil
    ) {
        self.step = step
        self.store = store
        self.apple = apple
        self.defaultClientID = defaultClientID
        self.now = now
        self.pause = pause
        self.operatorName = operatorName
    }

    /// How long to wait before each further attempt at one user, when Apple does not answer.
    package static let delays: [Duration] = [1, 2, 4, 8, 16].map { .seconds($0) }

    /// Asks Apple about one account, and keeps the answer. That Apple refuses is kept by `refuse`.
    package func perform(_ account: TransferAccount) throws(TransferFault) -> TransferOutcome {
        let clientID = account.clientID ?? defaultClientID
        switch step {
        case .export(let team):
            return try asking { () throws(AppleMigrationFault) in
                try apple.transferSubject(of: account.subject, to: team, for: clientID, now: now())
            } keeping: { (answer) throws(Refusal) in
                try store.keep(transferSubject: answer, for: team, of: account, now: now())
            }
        case .import(let team):
            guard let transferSubject = account.transferSubject else { return .gone }
            return try asking { () throws(AppleMigrationFault) in
                try apple.subject(of: transferSubject, for: clientID, now: now())
            } keeping: { (answer) throws(Refusal) in
                try store.move(account, to: answer, of: team, recording: event(.appleAccountMoved, account.userID))
            }
        }
    }

    /// Keeps that Apple does not move these users, so that another run does not ask about them again.
    package func refuse(_ accounts: [TransferAccount]) throws(TransferFault) {
        do { try store.markRefused(accounts, for: step) } catch { throw .store(error) }
    }

    /// Records how many transfer subjects a run has got, which change nothing for a user.
    package func recordExport(of count: Int) throws(TransferFault) {
        guard case .export(let team) = step, count > 0 else { return }
        var event = event(.appleTransferExported, nil)
        event.detail = team
        event.count = Int64(count)
        do { try store.record([event]) } catch { throw .store(error) }
    }

    private func asking<Answer>(
        _ ask: () throws(AppleMigrationFault) -> Answer, keeping keep: (Answer) throws(Refusal) -> TransferOutcome
    ) throws(TransferFault) -> TransferOutcome {
        let answer: Answer
        do throws(AppleMigrationFault) { answer = try trying(ask) } catch {
            guard error == .userRefused else { throw .apple(error) }
            return .refused
        }
        do throws(Refusal) { return try keep(answer) } catch { throw .store(error) }
    }

    private func trying<Answer>(
        _ ask: () throws(AppleMigrationFault) -> Answer
    ) throws(AppleMigrationFault) -> Answer {
        for delay in Self.delays {
            do throws(AppleMigrationFault) { return try ask() } catch {
                guard case .unavailable = error else { throw error }
                pause(delay)
            }
        }
        return try ask()
    }

    private func event(_ kind: AuditEntry.Kind, _ user: UserID?) -> AuditEntry {
        var event = AuditEntry(kind, at: now(), by: .operator, userID: user, provider: .apple)
        event.operatorName = operatorName
        return event
    }
}

/// The two halves of moving the accounts, with the team that gets the app.
package enum TransferStep: Sendable, Equatable {
    /// With the credentials of the former team: asks for the transfer subject of every account.
    case export(to: String)
    /// With the credentials of that team: asks for its subject of every transfer subject.
    case `import`(into: String)

    package var team: String {
        switch self {
        case .export(let team), .import(let team): team
        }
    }
}

/// An account at Apple that waits for a step.
package struct TransferAccount: Sendable, Equatable {
    package let id: String
    package let userID: UserID
    /// The app for which Apple's token of the account was made; nil without one.
    package let clientID: String?
    package let subject: String
    package let transferSubject: String?

    package init(id: String, userID: UserID, clientID: String?, subject: String, transferSubject: String?) {
        self.id = id
        self.userID = userID
        self.clientID = clientID
        self.subject = subject
        self.transferSubject = transferSubject
    }
}

package enum TransferOutcome: Sendable, Equatable {
    case done
    /// Apple does not move the user: usually one who has withdrawn their consent.
    case refused
    /// The subject belongs to an account of this user, who signed in before the accounts were moved.
    case conflict(UserID)
    /// The account was removed or changed meanwhile.
    case gone
}

/// Why a run ends early. Another one goes on where it was.
package enum TransferFault: Error, Sendable, Equatable {
    case apple(AppleMigrationFault)
    case store(Refusal)
}

/// What becomes of an account when Apple tells how the team that got the app sees its user.
package enum TransferDecision: Sendable {
    /// The store writes the account. It writes the user, too, unless nil: then the user keeps their address.
    case move(LinkedAccount, from: LinkedAccount, changing: User?)
    /// The account has the subject already, from a login. Nothing else has changed.
    case nothing
    case conflict(UserID)
    case gone

    /// - Parameters:
    ///   - known: the account that has the new subject, or else the one with the transfer subject.
    ///   - accounts: all of its user, the oldest first.
    package init(
        _ account: TransferAccount, to migrated: MigratedSubject, known: KnownIdentity?, accounts: [LinkedAccount]
    ) {
        guard let known else {
            self = .gone
            return
        }
        guard known.account.transferSubject == account.transferSubject else {
            self = .conflict(known.user.id)
            return
        }
        let identity = migrated.identity
        // Apple has just named the subject, so it is the current one, also if the account had it before.
        var account = known.account
        if account.isFormer(identity) { account.formerSubject = nil }
        guard let moved = account.updated(from: identity) else {
            self = .nothing
            return
        }
        let comesFromAccount = known.user.email.map { known.account.isSource(of: $0, among: accounts) } ?? false
        self = .move(
            moved, from: known.account, changing: comesFromAccount ? known.user.readdressed(by: identity) : nil)
    }
}

extension MigratedSubject {
    /// A relay address is Apple's own, so it counts as verified, as it does in Apple's identity tokens.
    package var identity: Identity {
        Identity(
            provider: .apple, subject: subject, email: email,
            emailVerified: email != nil && isPrivateEmail == true ? true : nil, isPrivateEmail: isPrivateEmail)
    }
}

/// What a run of a step has done so far.
///
/// Apple gives one answer for a user who cannot be moved and for a mistake that concerns all users, such as another team. So
/// refusals are kept only when Apple has moved another user in the same run, or when they are few.
package struct TransferTally: Sendable {
    /// A run ends when Apple has refused this many users and moved none.
    package static let longestStreak = 20

    package private(set) var done = 0
    package private(set) var refused = 0
    package private(set) var conflicts: [(user: UserID, other: UserID)] = []
    private var doubtful: [TransferAccount] = []
    private let holdsRefusalsBack: Bool

    /// - Parameter holdsRefusalsBack: false when the operator asks again about users whom Apple has refused.
    package init(holdsRefusalsBack: Bool = true) {
        self.holdsRefusalsBack = holdsRefusalsBack
    }

    /// Returns the refusals that can be kept now.
    package mutating func add(_ outcome: TransferOutcome, of account: TransferAccount) -> [TransferAccount] {
        switch outcome {
        case .done:
            done += 1
            return takeDoubtful()
        case .conflict(let other):
            conflicts.append((account.userID, other))
            // Apple has answered for this user.
            return takeDoubtful()
        case .gone: return []
        case .refused:
            refused += 1
            doubtful.append(account)
            return done > 0 || !conflicts.isEmpty || !holdsRefusalsBack ? takeDoubtful() : []
        }
    }

    package var refusesAll: Bool { doubtful.count >= Self.longestStreak }

    /// The refusals that are left at the end of a run.
    package mutating func finish() -> [TransferAccount] { refusesAll ? [] : takeDoubtful() }

    private mutating func takeDoubtful() -> [TransferAccount] {
        defer { doubtful = [] }
        return doubtful
    }
}
