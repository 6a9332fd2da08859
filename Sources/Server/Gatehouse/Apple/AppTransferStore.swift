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
        _ account: TransferAccount, to migrated: MigratedSubject, of team: String, recording event: AuditEntry
    ) throws(Refusal) -> TransferOutcome

    func markRefused(_ accounts: [TransferAccount], for step: TransferStep) throws(Refusal)

    func record(_ events: [AuditEntry]) throws(Refusal)
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

/// Apple's endpoint for moving users to another developer team.
package protocol AppleMigration: Sendable {
    /// With the credentials of the former team.
    ///
    /// - Parameters:
    ///   - team: the one that gets the app.
    ///   - clientID: the bundle id or Services ID of the app.
    func transferSubject(
        of subject: String, to team: String, for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> String

    /// With the credentials of the team that got the app.
    func subject(
        of transferSubject: String, for clientID: String, now: Timestamp
    ) throws(AppleMigrationFault) -> MigratedSubject
}

/// How the team that got the app sees a user.
package struct MigratedSubject: Sendable, Equatable {
    package let subject: String
    /// The new relay address; nil for a user who has shared their own address, which stays.
    package let email: String?
    package let isPrivateEmail: Bool?

    package init(subject: String, email: String? = nil, isPrivateEmail: Bool? = nil) {
        (self.subject, self.email, self.isPrivateEmail) = (subject, email, isPrivateEmail)
    }
}

package enum AppleMigrationFault: Error, Sendable, Equatable {
    /// `invalid_request`: Apple does not move this user, or not between these teams.
    case userRefused
    /// The credentials are refused, with Apple's word for it: no other user can be asked about.
    case credentialsRefused(String)
    /// No answer, or one that cannot be read: a later attempt may succeed. The text has no secret and no address.
    case unavailable(String)
}
