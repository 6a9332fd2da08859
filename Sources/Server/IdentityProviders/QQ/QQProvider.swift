package import Gatehouse
import OpenSSL

/// Logins by a code or an access token of QQ Connect.
package struct QQProvider: IdentityProvider {
    package let requiresChallenge = false
    private let name: Provider
    private let app: QQApp
    private let pageURL: String
    private let calls: ProviderCalls

    /// What the check sends instead of the address of an app.
    private static let madeUpRedirectURI = "https://localhost/"

    /// - Parameter pageURL: where browsers sign in.
    package init(name: Provider, app: QQApp, pageURL: String = Self.standardPage, calls: ProviderCalls) {
        (self.name, self.app, self.pageURL, self.calls) = (name, app, pageURL, calls)
    }

    package func verify(
        _ credential: IdentityCredential, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        let presented = try PresentedToQQ(credential, by: name)
        return try calls.run(at: app.apiURL, for: name, in: request, spending: presented.code) {
            (series) throws(CallFault) in try proven(by: presented, now: request.now, series)
        }
    }

    private func proven(
        by presented: PresentedToQQ, now: Timestamp, _ series: CallSeries
    ) throws(CallFault) -> ProvenIdentity {
        let calls = QQCalls(app: app, series: series)
        let (token, credential) = try accessToken(of: presented, calls)
        let user = try calls.user(of: token, presenting: credential)
        return ProvenIdentity(
            identity: Identity(provider: name, subject: user.openID, email: nil, unionSubject: user.unionID),
            clientID: app.id, issuedAt: presented.issuedAt(by: now), redemption: presented.redemption(by: now),
            nickname: calls.nickname(of: user, token: token))
    }

    /// Whether QQ accepts the id and the key.
    package func check() -> ProviderCheck {
        calls.probe(at: app.apiURL) { (series) throws(CallFault) in
            let answer = try QQCalls(app: app, series: series)
                .exchange(ProviderCheck.madeUpCode, redirectURI: Self.madeUpRedirectURI)
            let number = try answer.errorNumber("error", at: QQCalls.exchangePath) ?? 0
            // Says something about the made-up address alone.
            if number == QQError.redirectURI { return .unclear(code: "\(number)") }
            return ProviderCheck(error: number, QQError.meaning(of: number))
        }
    }

    private func accessToken(
        of presented: PresentedToQQ, _ calls: QQCalls
    ) throws(CallFault) -> (String, PresentedCredential) {
        switch presented {
        case .accessToken(let token): (token, .accessToken)
        case .code(let code, let redirectURI):
            (try calls.accessToken(for: code, redirectURI: redirectURI), .exchangedToken)
        }
    }
}

/// The operator's app at QQ Connect.
package struct QQApp: Sendable, Equatable {
    package let id: String
    package let key: String
    /// Without a slash at its end.
    package let apiURL: String

    package static let standardAPI = "https://graph.qq.com"

    package init(id: String, key: String, apiURL: String = Self.standardAPI) {
        (self.id, self.key, self.apiURL) = (id, key, apiURL)
    }
}

/// What a login by QQ presents. A code counts more than an access token: the operator's key is needed to use it.
enum PresentedToQQ {
    case code(String, redirectURI: String)
    case accessToken(String)

    /// How long QQ accepts an access token: three months.
    private static let accessTokenLifetime = Duration.seconds(92 * 86_400)

    /// The client may not have got the answer to its access token.
    private static let accessTokenGrace = Duration.seconds(60)

    /// The code, which is spent before it is exchanged.
    var code: String? {
        if case .code(let code, _) = self { code } else { nil }
    }

    /// The single use of an access token.
    func redemption(by now: Timestamp) -> Redemption? {
        guard case .accessToken(let token) = self else { return nil }
        return Redemption(
            tokenHash: SHA256.hash("qq access token " + token.withLowerASCII), moment: now,
            grace: Self.accessTokenGrace, expiresAt: now + Self.accessTokenLifetime)
    }

    /// An access token may be three months old, so it does not prove that the user has signed in just now.
    func issuedAt(by now: Timestamp) -> Timestamp {
        switch self {
        case .code: now
        case .accessToken: Timestamp(seconds: 0)
        }
    }

    /// The length of today's tokens is 32.
    private static let longestAccessToken = 1024

    init(_ credential: IdentityCredential, by provider: Provider) throws(Refusal) {
        if let code = credential.code {
            guard let redirectURI = credential.redirectURI else { throw .missing(.redirectURI) }
            self = .code(code, redirectURI: redirectURI)
        } else {
            guard let token = credential.accessToken else { throw .missing(.codeOrAccessToken) }
            guard ProviderID.isPrintable(token, atMost: Self.longestAccessToken) else {
                throw .identity(.accessToken, by: provider)
            }
            self = .accessToken(token)
        }
    }
}

/// Signing in through a browser with the operator's website. A website has an id and a key of its own, and so gets other openids
/// than the app.
extension QQProvider: WebIdentityProvider {
    package static let standardPage = "https://graph.qq.com/oauth2.0/authorize"

    package func pageAddress(for request: ProviderRequest, requestID: String?) -> String {
        ProviderPage.address(
            pageURL,
            [
                ("response_type", "code"), ("client_id", app.id), ("redirect_uri", request.callback),
                ("state", request.state), ("scope", "get_user_info"),
            ])
    }

    /// QQ demands the address to which it has sent the code.
    package func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        guard let code = answer.code else { throw .missing(.code) }
        return try verify(IdentityCredential(code: code, redirectURI: asked.callback), in: request)
    }
}
