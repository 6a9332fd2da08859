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

    private func event(_ kind: AuditEvent.Kind, _ user: UserID?) -> AuditEvent {
        var event = AuditEvent(kind, at: now(), by: .operator, userID: user, provider: .apple)
        event.operatorName = operatorName
        return event
    }
}
