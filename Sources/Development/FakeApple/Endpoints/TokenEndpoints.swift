import JSON
import SignInPages

/// `POST /auth/token`.
struct TokenEndpoint {
    enum GrantType: String {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
    }

    let developer: DeveloperAccount
    let grants: GrantStore
    let keys: PublishedKeys

    func answer(_ form: Form, now: Int64) throws(OAuthError) -> JSONObject {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let kind = try form.required("grant_type")
        try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
        return json(of: try issue(kind, form, clientID: clientID, now: now), now: now)
    }

    private func issue(_ kind: String, _ form: Form, clientID: String, now: Int64) throws(OAuthError) -> IssuedTokens {
        switch GrantType(rawValue: kind) {
        case .authorizationCode:
            let code = try form.required("code")
            return try grants.change { grants throws(OAuthError) in
                try grants.redeem(code: code, clientID: clientID, redirectURI: form["redirect_uri"], now: now)
            }
        case .refreshToken:
            let token = try form.required("refresh_token")
            return try grants.change { grants throws(OAuthError) in
                try grants.renew(refreshToken: token, clientID: clientID, now: now)
            }
        case nil: throw OAuthError(.unsupportedGrantType, "grant_type is authorization_code or refresh_token")
        }
    }

    private func json(of issue: IssuedTokens, now: Int64) -> JSONObject {
        let key = (try? keys.signing(issue.web?.changes ?? TokenChanges())) ?? keys.signing
        var json: JSONObject = [
            "access_token": .string(issue.accessToken), "token_type": "Bearer",
            "expires_in": .integer(Grant.accessTokenLifetime),
        ]
        json["refresh_token"] = issue.refreshToken.map(JSONValue.string)
        json["id_token"] = .string(
            Mint(key: key).token(
                for: issue.person, accessToken: issue.accessToken, authenticatedAt: issue.authenticatedAt,
                web: issue.web, now: now))
        return json
    }
}

/// `POST /auth/revoke`.
struct RevokeEndpoint {
    let developer: DeveloperAccount
    let grants: GrantStore

    /// Ignores `token_type_hint`, which is only a hint (RFC 7009, section 2.1), and searches all tokens.
    func answer(_ form: Form, now: Int64) throws(OAuthError) {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let token = try form.required("token")
        try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
        try grants.change { grants throws(OAuthError) in try grants.revoke(token, clientID: clientID) }
    }
}
