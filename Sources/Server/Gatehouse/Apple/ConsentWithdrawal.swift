/// What it does to a user that Apple no longer confirms their identity. Their sessions end in any case.
package struct ConsentWithdrawal: Sendable {
    package enum Effect: Sendable {
        case keep
        /// The Apple account goes. The user if that changes them.
        case unlink(changing: User?)
        case delete
    }

    package let effect: Effect
    /// The accounts that a disabled user loses. They must not come back as a new user by one of these.
    package let barred: [LinkedAccount]

    /// - Parameter accounts: all of the user, the oldest first.
    package init(
        by kind: AppleNotification.Kind, _ policy: ConsentPolicy, of user: User, with accounts: [LinkedAccount]
    ) {
        let isDisabled = user.status == .disabled
        let rest = accounts.filter { $0.provider != .apple }
        switch (kind, policy) {
        // A disabled user could sign in again as a new one.
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
