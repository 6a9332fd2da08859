package import Gatehouse

/// Signing in through a browser with the operator's website at WeChat's open platform, by a QR code that the user scans with
/// WeChat. A website has an id and a secret of its own, and so gets other openids than the app.
package struct WeChatWebSignIn: WebIdentityProvider {
    private let provider: WeChatProvider
    private let appID: String
    private let pageURL: String

    package static let standardPage = "https://open.weixin.qq.com/connect/qrconnect"

    /// - Parameter app: the website's id and secret.
    package init(name: Provider, app: WeChatApp, pageURL: String = Self.standardPage, calls: ProviderCalls) {
        provider = WeChatProvider(name: name, app: app, calls: calls)
        appID = app.id
        self.pageURL = pageURL
    }

    /// WeChat reads the parameters in this order, and demands the fragment.
    package func pageAddress(for request: ProviderRequest, requestID: String?) -> String {
        ProviderPage.address(
            pageURL,
            [
                ("appid", appID), ("redirect_uri", request.callback), ("response_type", "code"),
                ("scope", "snsapi_login"), ("state", request.state),
            ], fragment: "#wechat_redirect")
    }

    package func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity {
        try provider.verify(IdentityCredential(code: answer.code), in: request)
    }
}
