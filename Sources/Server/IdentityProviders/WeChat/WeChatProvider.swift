package import Gatehouse

/// Logins by a code of WeChat's open platform.
///
/// Only a code counts, which is exchanged with the operator's own id and secret. WeChat does not tell for which app an access
/// token was issued, so a token that a client sends could be from the user's login to an attacker's app.
package struct WeChatProvider: IdentityProvider {
    package let requiresChallenge = false
    private let name: Provider
    private let app: WeChatApp
    private let pageURL: String
    private let calls: ProviderCalls

    private static let exchangePath = "/sns/oauth2/access_token"
    private static let profilePath = "/sns/userinfo"

    /// - Parameter pageURL: where browsers sign in.
    package init(name: Provider, app: WeChatApp, pageURL: String = Self.standardPage, calls: ProviderCalls) {
        (self.name, self.app, self.pageURL, self.calls) = (name, app, pageURL, calls)
    }

    package func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        guard let code = credential.code else { throw .missing(.code) }
        return try calls.run(at: app.apiURL, for: name, in: request, spending: code) {
            (series) throws(CallFault) in try proven(by: code, now: request.now, series)
        }
    }

    private func proven(
        by code: String, now: Timestamp, _ series: CallSeries
    ) throws(CallFault) -> ProvenIdentity {
        let grant = try WeChatGrant(exchange(code, series), at: Self.exchangePath)
        let profile = profile(of: grant, series)
        return ProvenIdentity(
            identity: Identity(
                provider: name, subject: grant.openID, email: nil, unionSubject: grant.unionID ?? profile?.unionID),
            clientID: app.id, issuedAt: now, nickname: profile?.nickname)
    }

    /// Whether WeChat accepts the id and the secret. It checks them before the code.
    package func check() -> ProviderCheck {
        calls.probe(at: app.apiURL) { (series) throws(CallFault) in
            let answer = try exchange(ProviderCheck.madeUpCode, series)
            let number = try answer.errorNumber("errcode", at: Self.exchangePath) ?? 0
            return ProviderCheck(error: number, WeChatError.meaning(of: number))
        }
    }

    /// Never repeated: after a timeout the code may be used, and only the client can get another one.
    private func exchange(_ code: String, _ series: CallSeries) throws(CallFault) -> LenientAnswer {
        try series.get(
            Self.exchangePath,
            [("appid", app.id), ("secret", app.secret), ("code", code), ("grant_type", "authorization_code")])
    }

    /// Nil if the user has not permitted it, or WeChat does not tell: the identity is proven without it.
    private func profile(of grant: WeChatGrant, _ series: CallSeries) -> WeChatProfile? {
        guard grant.permitsProfile else { return nil }
        let query = [("access_token", grant.accessToken), ("openid", grant.openID)]
        return (try? series.get(Self.profilePath, query)).flatMap { WeChatProfile($0, of: grant) }
    }
}

/// The operator's app at WeChat's open platform.
package struct WeChatApp: Sendable, Equatable {
    package let id: String
    package let secret: String
    /// Without a slash at its end.
    package let apiURL: String

    package static let standardAPI = "https://api.weixin.qq.com"

    package init(id: String, secret: String, apiURL: String = Self.standardAPI) {
        (self.id, self.secret, self.apiURL) = (id, secret, apiURL)
    }
}

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

/// The error numbers of WeChat's open platform.
enum WeChatError {
    /// An error that is not listed may pass, like `-1` (busy) and 45011 (too many calls in this minute).
    static func meaning(of number: Int64) -> ErrorMeaning {
        switch number {
        // Invalid, used, expired, missing.
        case 40029, 40163, 42003, 41008: .code
        // The id, the secret, a frozen secret, an address that is not in the operator's list, and the app's permissions.
        case 40013, 41002, 40125, 41004, 40243, 40164, 48001, 50001, 50002: .configuration
        default: .other
        }
    }
}

/// Signing in through a browser with the operator's website, by a QR code that the user scans with WeChat. A website has an id
/// and a secret of its own, and so gets other openids than the app.
extension WeChatProvider: WebIdentityProvider {
    package static let standardPage = "https://open.weixin.qq.com/connect/qrconnect"

    /// WeChat reads the parameters in this order, and demands the fragment.
    package func pageAddress(for request: ProviderRequest, requestID: String?) -> String {
        ProviderPage.address(
            pageURL,
            [
                ("appid", app.id), ("redirect_uri", request.callback), ("response_type", "code"),
                ("scope", "snsapi_login"), ("state", request.state),
            ], fragment: "#wechat_redirect")
    }

    package func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        try verify(IdentityCredential(code: answer.code), in: request)
    }
}
