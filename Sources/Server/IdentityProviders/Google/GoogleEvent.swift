package import Gatehouse
import JSON

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

extension GoogleEvent.Entry {
    /// - Parameters:
    ///   - type: the name of the member of `events`, a URI.
    ///   - issuers: those of the users' identity tokens.
    init(type: String, _ value: JSONValue, issuers: [String]) {
        kind = Self.kinds[type] ?? .other
        let members = value.object ?? [:]
        subject = members["subject"]?.object.flatMap { GoogleEvent.Subject($0, issuers: issuers) }
        reason = members["reason"]?.string.map { GoogleEvent.Reason(rawValue: $0) ?? .other }
    }

    private static let kinds: [String: GoogleEvent.Kind] = [
        schema + "risc/event-type/sessions-revoked": .sessionsRevoked,
        schema + "risc/event-type/account-disabled": .accountDisabled,
        schema + "risc/event-type/account-enabled": .accountEnabled,
        schema + "risc/event-type/account-credential-change-required": .credentialChangeRequired,
        schema + "risc/event-type/verification": .verification,
        schema + "oauth/event-type/tokens-revoked": .tokensRevoked,
        schema + "oauth/event-type/token-revoked": .tokenRevoked,
        legacy + "sessions-revoked": .sessionsRevoked,
        legacy + "account-disabled": .accountDisabled,
        legacy + "account-credential-change-required": .credentialChangeRequired,
        legacy + "all-token-revoked": .tokensRevoked,
        legacy + "one-token-revoked": .tokenRevoked,
    ]

    private static let schema = "https://schemas.openid.net/secevent/"
    /// The names before the specification had its own.
    private static let legacy = "https://accounts.google.com/risc/event/"
}

extension GoogleEvent.Subject {
    private static let longest = 255

    init?(_ members: JSONObject, issuers: [String]) {
        switch members["subject_type"]?.string {
        case "iss-sub", "id_token_claims":
            guard let issuer = members["iss"]?.string, issuers.contains(where: issuer.isIdentical),
                let subject = members["sub"]?.plainText(atMost: Self.longest)
            else { return nil }
            self = .user(subject)
        case "oauth_token":
            guard members["token_type"] == "refresh_token",
                let token = members["token"]?.plainText(atMost: Self.longest)
            else { return nil }
            switch members["token_identifier_alg"]?.string {
            case "prefix": self = .refreshToken(.prefix(token))
            case "hash_base64_sha512_sha512": self = .refreshToken(.hash(token))
            default: return nil
            }
        default: return nil
        }
    }
}
