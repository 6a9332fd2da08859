/// What Apple's servers tell about a user of ours.
package struct AppleNotification: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case emailDisabled = "email_disabled"
        case emailEnabled = "email_enabled"
        /// The user has taken back that the app may know them.
        case consentRevoked = "consent_revoked"
        /// The user has no Apple Account any more.
        case accountDeleted = "account_deleted"
        /// Whatever Apple comes up with later.
        case other
    }

    /// The same notification has the same id, however often it is sent.
    package let id: String
    package let kind: Kind
    package let subject: String
    package let audience: String
    /// When it happened, which may be long before it is told.
    package let moment: Timestamp
    /// When it was written.
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

    /// Whoever signs in or links after this knows more than Apple did when it wrote. Apple's moments may be whole seconds.
    package var horizon: Timestamp { max(moment, issuedAt) + .milliseconds(999) }
}
