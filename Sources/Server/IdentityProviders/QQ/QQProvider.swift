package import Gatehouse

/// Logins by a code or an access token of QQ Connect.
package struct QQProvider: IdentityProvider {
    package let requiresChallenge = false
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
