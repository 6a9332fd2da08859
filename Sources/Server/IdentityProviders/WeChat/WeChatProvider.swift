package import Gatehouse

/// Logins by a code of WeChat's open platform.
///
/// Only a code counts, which is exchanged with the operator's own id and secret. WeChat does not tell for which app an access
/// token was issued, so a token that a client sends could be from the user's login to an attacker's app.
package struct WeChatProvider: IdentityProvider {
    package let requiresChallenge = false
    private let name: Provider
    private let app: WeChatApp
    private let calls: ProviderCalls

    private static let exchangePath = "/sns/oauth2/access_token"
    private static let profilePath = "/sns/userinfo"

    package init(name: Provider, app: WeChatApp, calls: ProviderCalls) {
        self.name = name
        self.app = app
        self.calls = calls
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
