/// What WeChat gives for a code.
struct WeChatGrant {
    let openID: String
    /// The same in all apps of the operator; nil if the app does not belong to an account of the open platform.
    let unionID: String?
    let accessToken: String
    /// Whether the access token permits a look at the user's profile.
    let permitsProfile: Bool

    /// - Parameter path: of the exchange, for faults.
    init(_ answer: LenientAnswer, at path: String) throws(CallFault) {
        if let number = try answer.errorNumber("errcode", at: path) {
            throw CallFault(error: number, WeChatError.meaning(of: number), at: path, presenting: .code)
        }
        guard let openID = answer.id("openid"), let token = answer.text("access_token"), !token.isEmpty else {
            throw .unreadable(path)
        }
        self.openID = openID
        unionID = try answer.optionalID("unionid", at: path)
        accessToken = token
        let scopes = (answer.text("scope") ?? "").split { $0 == "," || $0 == " " }
        permitsProfile = scopes.contains { $0 == "snsapi_userinfo" || $0 == "snsapi_login" }
    }
}

/// What WeChat tells about a user.
struct WeChatProfile {
    let unionID: String?
    let nickname: String?

    /// Nil for an error, and for a profile of another user than the grant's.
    init?(_ answer: LenientAnswer, of grant: WeChatGrant) {
        guard !answer.has("errcode") || answer.number("errcode") == 0, answer.id("openid") == grant.openID else {
            return nil
        }
        unionID = answer.id("unionid")
        if let known = grant.unionID, let unionID, unionID != known { return nil }
        nickname = answer.nickname
    }
}
