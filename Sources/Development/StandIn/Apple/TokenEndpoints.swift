import JSON

/// `POST /auth/token`.
struct TokenEndpoint {
    enum GrantType: String {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        /// An access token for moving users to another team.
        case clientCredentials = "client_credentials"
    }

    let developer: DeveloperAccount
    let grants: GrantStore
    let keys: PublishedKeys
    let transfers: TransferStore

    func answer(_ form: Form, now: Int64) throws(OAuthError) -> JSONObject {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let kind = try form.required("grant_type")
        let team = try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
        guard GrantType(rawValue: kind) != .clientCredentials else {
            return try migrationToken(form, team, clientID, now: now)
        }
        try transfers.state.requireOwner(team)
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
        case .clientCredentials, nil:
            throw OAuthError(
                .unsupportedGrantType, "grant_type is authorization_code, refresh_token or client_credentials")
        }
    }

    private func migrationToken(
        _ form: Form, _ team: Int, _ clientID: String, now: Int64
    ) throws(OAuthError) -> JSONObject {
        guard try form.required("scope") == MigrationEndpoint.scope else {
            throw OAuthError(.invalidScope, "scope is \(MigrationEndpoint.scope)")
        }
        try transfers.state.requireMigration(by: team)
        return [
            "access_token": .string(transfers.newAccessToken(for: team, clientID, now: now)), "token_type": "Bearer",
            "expires_in": .integer(Grant.accessTokenLifetime),
        ]
    }

    private func json(of issue: IssuedTokens, now: Int64) -> JSONObject {
        let key = (try? keys.signing(issue.web?.changes ?? TokenChanges())) ?? keys.signing
        var json: JSONObject = [
            "access_token": .string(issue.accessToken), "token_type": "Bearer",
            "expires_in": .integer(Grant.accessTokenLifetime),
        ]
        json["refresh_token"] = issue.refreshToken.map(JSONValue.string)
        json["id_token"] = .string(
            Mint(key: key, view: transfers.view).token(
                for: issue.person, accessToken: issue.accessToken, authenticatedAt: issue.authenticatedAt,
                web: issue.web, now: now))
        return json
    }
}

/// `POST /auth/revoke`.
struct RevokeEndpoint {
    let developer: DeveloperAccount
    let grants: GrantStore
    let transfers: TransferStore

    /// Ignores `token_type_hint`, which is only a hint (RFC 7009, section 2.1), and searches all tokens.
    func answer(_ form: Form, now: Int64) throws(OAuthError) {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let token = try form.required("token")
        let team = try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
        try transfers.state.requireOwner(team)
        try grants.change { grants throws(OAuthError) in try grants.revoke(token, clientID: clientID) }
    }
}
