import JSON

/// The issued codes and tokens, with the rules for their validity.
struct Grants {
    private(set) var all: [Grant]
    private(set) var consents: Set<Consent>
    private var codes: [String: AuthorizationCode] = [:]

    init(_ all: [Grant] = [], consents: Set<Consent> = []) {
        self.all = all
        self.consents = consents
    }

    mutating func add(_ text: String, _ code: AuthorizationCode) {
        codes = codes.filter { code.issuedAt < $0.value.issuedAt + AuthorizationCode.lifetime }
        codes[text] = code
    }

    /// Returns whether it is the user's first one for the client.
    mutating func consent(_ person: Person) -> Bool {
        consents.insert(Consent(subject: person.subject, clientID: person.audience)).inserted
    }

    /// - Parameter redirectURI: Apple's page issues a code for the address in its request, and the client must send the same
    ///   address. A client that redeems a code of an app must send none.
    mutating func redeem(
        code text: String, clientID: String, redirectURI: String?, now: Int64
    ) throws(OAuthError) -> IssuedTokens {
        guard let code = codes[text], now < code.issuedAt + AuthorizationCode.lifetime else {
            throw .expiredCode
        }
        guard code.person.audience == clientID else { throw .mismatch("client_id", clientID) }
        guard code.web?.redirectURI == redirectURI else { throw .mismatch("redirect_uri", redirectURI ?? "null") }
        guard !code.isUsed else { throw .usedCode }
        codes[text]?.isUsed = true
        var grant = Grant(person: code.person)
        let accessToken = grant.newAccessToken(now: now)
        all.append(grant)
        return IssuedTokens(
            person: code.person, accessToken: accessToken, refreshToken: grant.refreshToken,
            authenticatedAt: code.issuedAt, web: code.web)
    }

    mutating func renew(refreshToken: String, clientID: String, now: Int64) throws(OAuthError) -> IssuedTokens {
        guard let index = all.firstIndex(where: { $0.refreshToken == refreshToken }) else {
            throw OAuthError(.invalidGrant, "the refresh token is unknown, or was revoked")
        }
        guard all[index].person.audience == clientID else {
            throw OAuthError(.invalidGrant, "the refresh token was issued to another app")
        }
        return IssuedTokens(
            person: all[index].person, accessToken: all[index].newAccessToken(now: now), refreshToken: nil,
            authenticatedAt: nil)
    }

    /// Ends the user's authorisation of the app, with all its tokens. An unknown or revoked token is not an error:
    /// Apple documents 200 for it ("Revoke tokens", response codes), as does RFC 7009, section 2.2.
    mutating func revoke(_ token: String, clientID: String) throws(OAuthError) {
        guard let grant = all.first(where: { $0.owns(token) }) else { return }
        guard grant.person.audience == clientID else {
            throw OAuthError(.invalidGrant, "the token was issued to another app")
        }
        all.removeAll { $0.person.subject == grant.person.subject && $0.person.audience == clientID }
        consents.remove(Consent(subject: grant.person.subject, clientID: clientID))
    }
}

/// An error response: RFC 6749, section 5.2, and Apple's `ErrorResponse`.
struct OAuthError: Error, Equatable {
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case unsupportedGrantType = "unsupported_grant_type"
    }

    let code: Code
    /// For the request log, so it contains nothing of the request.
    let reason: String
    private let description: String

    init(_ code: Code, _ reason: String, description: String? = nil) {
        self.code = code
        self.reason = reason
        self.description = description ?? reason
    }

    /// Apple does not describe `invalid_client`. The request log has the reason.
    var json: JSONObject {
        var json: JSONObject = ["error": .string(code.rawValue)]
        if code != .invalidClient { json["error_description"] = .string(description) }
        return json
    }
}

// What Apple says of codes, in its words.
extension OAuthError {
    static let usedCode = OAuthError(
        .invalidGrant, "the code was used before", description: "The code has already been used.")
    static let expiredCode = OAuthError(
        .invalidGrant, "the code is unknown, or older than five minutes",
        description: "The code has expired or has been revoked.")

    /// - Parameter value: of the request.
    static func mismatch(_ name: String, _ value: String) -> OAuthError {
        OAuthError(
            .invalidGrant, "\(name) is not the one that the code was issued to",
            description: "\(name) mismatch. The code was not issued to \(value).")
    }
}
