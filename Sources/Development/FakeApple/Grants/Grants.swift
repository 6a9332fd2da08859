import JSON

/// The issued codes and tokens, with the rules for their validity.
struct Grants {
    private(set) var all: [Grant]
    private var codes: [String: AuthorizationCode] = [:]

    init(_ all: [Grant] = []) {
        self.all = all
    }

    mutating func add(_ login: MintedLogin) {
        codes = codes.filter { login.authenticatedAt < $0.value.issuedAt + AuthorizationCode.lifetime }
        codes[login.code] = AuthorizationCode(person: login.person, issuedAt: login.authenticatedAt)
    }

    mutating func redeem(code text: String, clientID: String, now: Int64) throws(OAuthError) -> IssuedTokens {
        guard let code = codes[text], now < code.issuedAt + AuthorizationCode.lifetime else {
            throw OAuthError(.invalidGrant, "the code is unknown, or older than five minutes")
        }
        guard code.person.audience == clientID else {
            throw OAuthError(.invalidGrant, "the code was issued to another app")
        }
        guard !code.isUsed else { throw OAuthError(.invalidGrant, "the code was used before") }
        codes[text]?.isUsed = true
        var grant = Grant(person: code.person)
        let accessToken = grant.newAccessToken(now: now)
        all.append(grant)
        return IssuedTokens(
            person: code.person, accessToken: accessToken, refreshToken: grant.refreshToken,
            authenticatedAt: code.issuedAt)
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
    }
}

/// An error response: RFC 6749, section 5.2, and Apple's `ErrorResponse`.
struct OAuthError: Error, Equatable {
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unsupportedGrantType = "unsupported_grant_type"
    }

    let code: Code
    let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Apple does not describe `invalid_client`. The request log has the reason.
    var json: JSONObject {
        var json: JSONObject = ["error": .string(code.rawValue)]
        if code != .invalidClient { json["error_description"] = .string(reason) }
        return json
    }
}
