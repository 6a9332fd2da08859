import JSON

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
