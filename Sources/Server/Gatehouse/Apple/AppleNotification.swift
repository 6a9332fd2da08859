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
        let now = primitives.now()
        let notification = try apple.verify(notification: payload, now: now, requestID: requestID)
        let event = AuditEvent(.appleNotification, at: now, by: .apple, provider: .apple)
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
