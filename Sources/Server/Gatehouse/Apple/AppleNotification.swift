/// What Apple's servers report about a user.
package struct AppleNotification: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case emailDisabled = "email_disabled"
        case emailEnabled = "email_enabled"
        /// The user has withdrawn the app's access.
        case consentRevoked = "consent_revoked"
        /// The user has deleted their Apple Account.
        case accountDeleted = "account_deleted"
        /// A type that Gatehouse does not know.
        case other
    }

    /// Apple's `jti`: the same notification has the same id each time it is sent.
    package let id: String
    package let kind: Kind
    package let subject: String
    package let audience: String
    /// When the event happened, which may be long before the notification.
    package let moment: Timestamp
    package let issuedAt: Timestamp
    package var email: String?
    package var isPrivateEmail: Bool?

    package init(
        id: String, kind: Kind, subject: String, audience: String, moment: Timestamp, issuedAt: Timestamp,
        email: String? = nil, isPrivateEmail: Bool? = nil
    ) {
        self.id = id
        self.kind = kind
        self.subject = subject
        self.audience = audience
        self.moment = moment
        self.issuedAt = issuedAt
        self.email = email
        self.isPrivateEmail = isPrivateEmail
    }

    /// A login or link after this moment is newer than the notification. Apple's times may be whole seconds, so the
    /// rest of the second is added.
    package var horizon: Timestamp { max(moment, issuedAt) + .milliseconds(999) }
}

extension AuthService {
    /// Applies a notification from Apple's servers once. It has been committed when this returns, so
    /// Apple need not repeat it.
    package func receive(notification payload: String, requestID: String) throws(Refusal) {
        let now = platform.now()
        let notification = try apple.verify(notification: payload, now: now, requestID: requestID)
        let event = AuditEntry(.appleNotification, at: now, by: .apple, provider: .apple)
        let ended = try store.apply(
            notification, by: policy.apple.onConsentRevoked, hasher: hasher, recording: event)
        announce(ended, requestID: requestID)
        report(.appleNotificationApplied(notification.kind), requestID)
    }
}

/// Verifies what Apple has signed: identity tokens, and what only Apple sends.
package protocol AppleVerifier: IdentityProvider {
    /// Verifies a notification from Apple's servers. An identity token is refused.
    ///
    /// - Parameter requestID: for the log, when the verification has to fetch Apple's keys.
    func verify(notification: String, now: Timestamp, requestID: String?) throws(Refusal) -> AppleNotification

    /// Whether a text has the form and the issuer of Apple's tokens. Its signature is not verified.
    func isApparentlyApple(_ token: String) -> Bool
}

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
