/// What happens to a user when Apple reports that they have withdrawn their consent or deleted their Apple Account. The
/// sessions that Apple opened end in any case; with the account, all end.
package struct ConsentWithdrawal: Sendable {
    package enum Effect: Sendable {
        case keep
        /// The store deletes the Apple account. It writes the user, too, unless nil: then the user keeps their address.
        case unlink(changing: User?)
        case delete
    }

    package let effect: Effect
    /// The accounts that a disabled user loses. A login with one of these must not create a new user.
    package let barred: [LinkedAccount]

    /// - Parameter accounts: all of the user, the oldest first.
    package init(
        by kind: AppleNotification.Kind, _ policy: ConsentPolicy, of user: User, with accounts: [LinkedAccount]
    ) {
        let isDisabled = user.status == .disabled
        let rest = accounts.filter { $0.provider != .apple }
        switch (kind, policy) {
        // Otherwise a disabled user could sign in again as a new user.
        case (.consentRevoked, _) where isDisabled: effect = .keep
        case (.consentRevoked, .keep): effect = .keep
        case (_, .delete): effect = .delete
        // The Apple Account does not exist any more, so `keep` has nothing to keep.
        case (_, .unlink), (_, .keep):
            effect = rest.isEmpty ? .delete : .unlink(changing: user.addressed(byOneOf: rest))
        }
        barred =
            switch effect {
            case _ where !isDisabled: []
            case .keep: []
            case .unlink: accounts.filter { $0.provider == .apple }
            case .delete: accounts
            }
    }
}
