package import Gatehouse

/// Signing in through a browser with the operator's website at QQ Connect. A website has an id and a key of its own, and so
/// gets other openids than the app.
package struct QQWebSignIn: WebIdentityProvider {
    private let provider: QQProvider
    private let appID: String
    private let pageURL: String

    package static let standardPage = "https://graph.qq.com/oauth2.0/authorize"

    /// - Parameter app: the website's id and key.
    package init(name: Provider, app: QQApp, pageURL: String = Self.standardPage, calls: ProviderCalls) {
        provider = QQProvider(name: name, app: app, calls: calls)
        appID = app.id
        self.pageURL = pageURL
    }

    package func pageAddress(for request: ProviderRequest, requestID: String?) -> String {
        ProviderPage.address(
            pageURL,
            [
                ("response_type", "code"), ("client_id", appID), ("redirect_uri", request.callback),
                ("state", request.state), ("scope", "get_user_info"),
            ])
    }

    /// QQ demands the address to which it has sent the code.
    package func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        guard let code = answer.code else { throw .missing(.code) }
        return try provider.verify(IdentityCredential(code: code, redirectURI: asked.callback), in: request)
    }
}
