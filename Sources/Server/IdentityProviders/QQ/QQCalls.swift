/// The calls of QQ Connect that a login needs.
struct QQCalls {
    let app: QQApp
    let series: CallSeries

    static let exchangePath = "/oauth2.0/token"
    private static let userPath = "/oauth2.0/me"
    private static let profilePath = "/user/get_user_info"

    /// Never repeated: after a timeout the code may be used, and only the client can get another one.
    func exchange(_ code: String, redirectURI: String) throws(CallFault) -> LenientAnswer {
        try series.get(
            Self.exchangePath,
            [
                ("grant_type", "authorization_code"), ("client_id", app.id), ("client_secret", app.key),
                ("code", code), ("redirect_uri", redirectURI), ("fmt", "json"),
            ])
    }

    /// The access token for a code.
    func accessToken(for code: String, redirectURI: String) throws(CallFault) -> String {
        let path = Self.exchangePath
        let answer = try exchange(code, redirectURI: redirectURI)
        if let number = try answer.errorNumber("error", at: path) {
            throw CallFault(error: number, QQError.meaning(of: number), at: path, presenting: .code)
        }
        guard let token = answer.text("access_token"), !token.isEmpty else { throw .unreadable(path) }
        return token
    }

    /// The user of an access token. Asked once more without the unionid, if the app does not use it.
    func user(of token: String, presenting credential: PresentedCredential) throws(CallFault) -> QQUser {
        let path = Self.userPath
        let query = [("access_token", token), ("fmt", "json")]
        var answer = try series.get(path, query + [("unionid", "1")])
        var number = try answer.errorNumber("error", at: path)
        if number == QQError.noUnionID {
            answer = try series.get(path, query)
            number = try answer.errorNumber("error", at: path)
        }
        if let number { throw CallFault(error: number, QQError.meaning(of: number), at: path, presenting: credential) }
        return try QQUser(answer, ofApp: app.id, at: path)
    }

    /// Nil if QQ does not tell: the identity is proven without it.
    func nickname(of user: QQUser, token: String) -> String? {
        let query = [("access_token", token), ("oauth_consumer_key", app.id), ("openid", user.openID)]
        guard let answer = try? series.get(Self.profilePath, query), answer.number("ret") == 0 else { return nil }
        return answer.nickname
    }
}
