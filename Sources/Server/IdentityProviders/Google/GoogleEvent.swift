package import Gatehouse

/// What Google reports about the security of users' accounts (Cross-Account Protection).
package struct GoogleEvent: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Every session of the user has to end.
        case sessionsRevoked = "sessions_revoked"
        /// Every token of the user for this app was revoked.
        case tokensRevoked = "tokens_revoked"
        /// One refresh token was revoked.
        case tokenRevoked = "token_revoked"
        case accountDisabled = "account_disabled"
        case accountEnabled = "account_enabled"
        /// Google has asked the user for a new password.
        case credentialChangeRequired = "credential_change_required"
        /// The operator has asked Google for this event, as a test. It has no subject.
        case verification
        /// A type that Gatehouse does not know.
        case other
    }

    /// Why an account was disabled.
    package enum Reason: String, Sendable, CaseIterable {
        case hijacking
        case bulkAccount = "bulk-account"
        case other
    }

    /// Whom an event is about.
    package enum Subject: Sendable, Equatable {
        /// The `sub` of the user's identity tokens.
        case user(String)
        case refreshToken(TokenName)
    }

    /// How an event identifies a refresh token without containing it.
    package enum TokenName: Sendable, Equatable {
        /// Its first 16 characters.
        case prefix(String)
        /// In base64, the SHA-512 of its SHA-512.
        case hash(String)
    }

    /// One of the events that a token can contain.
    package struct Entry: Sendable, Equatable {
        package let kind: Kind
        /// Nil for an event that names none, or in a way that Gatehouse does not know.
        package let subject: Subject?
        package let reason: Reason?
    }

    /// Google's `jti`: the same event has the same id each time it is sent.
    package let id: String
    package let audience: String
    package let issuedAt: Timestamp
    /// At least one.
    package let entries: [Entry]
}
