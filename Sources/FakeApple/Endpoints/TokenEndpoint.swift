import JSON

/// `POST /auth/token`.
struct TokenEndpoint {
    let developer: DeveloperAccount
    let grants: GrantBook
    let mint: Mint

    func answer(_ form: Form, now: Int64) throws(OAuthError) -> JSONObject {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let kind = try form.required("grant_type")
        try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
        return json(of: try issue(kind, form, clientID: clientID, now: now), now: now)
    }

    private func issue(_ kind: String, _ form: Form, clientID: String, now: Int64) throws(OAuthError) -> Issue {
        switch kind {
        case "authorization_code":
            let code = try form.required("code")
            return try grants.change { grants throws(OAuthError) in
                try grants.redeem(code: code, clientID: clientID, now: now)
            }
        case "refresh_token":
            let token = try form.required("refresh_token")
            return try grants.change { grants throws(OAuthError) in
                try grants.renew(refreshToken: token, clientID: clientID, now: now)
            }
        default: throw OAuthError(.unsupportedGrantType, "grant_type is authorization_code or refresh_token")
        }
    }

    private func json(of issue: Issue, now: Int64) -> JSONObject {
        var json: JSONObject = [
            "access_token": .string(issue.accessToken), "token_type": "Bearer",
            "expires_in": .integer(Grant.accessTokenLifetime),
        ]
        json["refresh_token"] = issue.refreshToken.map(JSONValue.string)
        json["id_token"] = .string(
            mint.token(
                for: issue.person, accessToken: issue.accessToken, authenticatedAt: issue.authenticatedAt, now: now))
        return json
    }
}
