package import Gatehouse

/// Logins by a code or an access token of QQ Connect.
package struct QQProvider: IdentityProvider {
    /// The grace is for an access token: the client may not have got the answer.
    package let rules = LoginRules(replayGrace: .seconds(60))
    private let name: Provider
    private let app: QQApp
    private let calls: ProviderCalls

    /// What the check sends instead of the address of an app.
    private static let madeUpRedirectURI = "https://localhost/"

    package init(name: Provider, app: QQApp, calls: ProviderCalls) {
        self.name = name
        self.app = app
        self.calls = calls
    }

    package func verify(
        _ credential: IdentityCredential, now: Timestamp, requestID: String?,
        spending spend: (_ code: String) throws(Refusal) -> Void
    ) throws(Refusal) -> IdentityAssertion {
        let presented = try PresentedToQQ(credential, by: name)
        return try calls.run(
            at: app.apiURL, for: name, requestID: requestID,
            spending: { () throws(Refusal) in if case .code(let code, _) = presented { try spend(code) } },
            asking: { (series) throws(CallFault) in try assertion(for: presented, now: now, series) })
    }

    private func assertion(
        for presented: PresentedToQQ, now: Timestamp, _ series: CallSeries
    ) throws(CallFault) -> IdentityAssertion {
        let calls = QQCalls(app: app, series: series)
        let (token, credential) = try accessToken(of: presented, calls)
        let user = try calls.user(of: token, presenting: credential)
        let redemption = presented.redemption(by: now)
        return IdentityAssertion(
            subject: user.openID, clientID: app.id, tokenHash: redemption.hash, issuedAt: presented.issuedAt(by: now),
            expiresAt: redemption.expiresAt, unionSubject: user.unionID,
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
