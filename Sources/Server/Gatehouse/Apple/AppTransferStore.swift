/// What a transfer of the app reads and writes. Each call is one transaction.
package protocol AppTransferStore: Sendable {
    func transferCounts(for step: TransferStep) throws(Refusal) -> TransferCounts

    /// The next accounts that wait for a step, in the order of their ids.
    ///
    /// - Parameter refused: whether to return those that Apple has refused before, instead of the others.
    func accounts(
        awaiting step: TransferStep, refused: Bool, after id: String, limit: Int
    ) throws(Refusal) -> [TransferAccount]

    /// Keeps a transfer subject. The account then waits for its import into the team.
    func keep(
        transferSubject: String, for team: String, of account: TransferAccount, now: Timestamp
    ) throws(Refusal) -> TransferOutcome

    /// Gives an account the subject and the address of the team, as `TransferDecision` says.
    func move(
        _ account: TransferAccount, to migrated: MigratedSubject, of team: String, recording event: AuditEvent
    ) throws(Refusal) -> TransferOutcome

    func markRefused(_ accounts: [TransferAccount], for step: TransferStep) throws(Refusal)

    func record(_ events: [AuditEvent]) throws(Refusal)
}

/// The accounts at Apple by what a step has to do for them.
package struct TransferCounts: Sendable, Equatable {
    package let waiting: Int
    package let refused: Int
    package let done: Int
    /// Those that an import leaves out, because their transfer subject was made for another team.
    package let forOtherTeam: Int
    /// Those that an import cannot move: they were not exported, or are of users who came after the transfer.
    package let withoutTransferSubject: Int

    package init(waiting: Int, refused: Int, done: Int, forOtherTeam: Int, withoutTransferSubject: Int) {
        self.waiting = waiting
        self.refused = refused
        self.done = done
        self.forOtherTeam = forOtherTeam
        self.withoutTransferSubject = withoutTransferSubject
    }
}
