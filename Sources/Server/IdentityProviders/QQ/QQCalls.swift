import Gatehouse
import JSON

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

/// The user of an access token, as QQ names it.
struct QQUser {
    let openID: String
    /// The same in all apps of the operator; nil if QQ has not enabled it for the app.
    let unionID: String?

    /// - Parameters:
    ///   - appID: the operator's. The token of another app proves nothing: its users have not signed in here.
    ///   - path: of the call, for faults.
    init(_ answer: LenientAnswer, ofApp appID: String, at path: String) throws(CallFault) {
        guard let client = answer.text("client_id") else { throw .unreadable(path) }
        guard client.isIdentical(to: appID) else { throw .credential(.client(PlainName(client))) }
        guard let openID = answer.id("openid") else { throw .unreadable(path) }
        self.openID = openID
        unionID = try answer.optionalID("unionid", at: path)
    }
}

/// The error numbers of QQ Connect.
enum QQError {
    /// The app does not use unionids.
    static let noUnionID: Int64 = 100_048
    /// The redirect URI is not the app's.
    static let redirectURI: Int64 = 100_010

    /// An error that is not listed may pass.
    static func meaning(of number: Int64) -> ErrorMeaning {
        switch number {
        // Missing, not found, not exchangeable, used.
        case 100_005, 100_017...100_020: .code
        // Missing, malformed, expired, revoked, not valid.
        case 100_007, 100_013...100_016: .accessToken
        // The id, the key, the redirect URI, an app that is not online, and the app's permissions.
        case 100_001, 100_002, 100_008, 100_009, redirectURI, 100_011, 100_031: .configuration
        default: .other
        }
    }
}
