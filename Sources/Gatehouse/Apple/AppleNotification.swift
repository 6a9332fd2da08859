/// What Apple's servers tell about a user of ours.
package struct AppleNotification: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case emailDisabled
        case emailEnabled
        /// The user has taken back that the app may know them.
        case consentRevoked
        /// The user has no Apple Account any more.
        case accountDeleted
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
    package var email: String?
    package var isPrivateEmail: Bool?

    package init(
        id: String, kind: Kind, subject: String, audience: String, moment: Timestamp, email: String? = nil,
        isPrivateEmail: Bool? = nil
    ) {
        self.id = id
        self.kind = kind
        self.subject = subject
        self.audience = audience
        self.moment = moment
        self.email = email
        self.isPrivateEmail = isPrivateEmail
    }
}
