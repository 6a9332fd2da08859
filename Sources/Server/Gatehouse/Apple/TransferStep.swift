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
