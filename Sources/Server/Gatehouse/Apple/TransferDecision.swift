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
