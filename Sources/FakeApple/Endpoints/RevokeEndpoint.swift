/// `POST /auth/revoke`.
struct RevokeEndpoint {
    let developer: DeveloperAccount
    let grants: GrantBook

    /// `token_type_hint` is a hint (RFC 7009, section 2.1): the token is looked for among all of them.
    func answer(_ form: Form, now: Int64) throws(OAuthError) {
        let clientID = try form.required("client_id")
        let secret = try form.required("client_secret")
        let token = try form.required("token")
        try ClientSecret(developer: developer).check(secret, clientID: clientID, now: now)
        try grants.change { grants throws(OAuthError) in try grants.revoke(token, clientID: clientID) }
    }
}
