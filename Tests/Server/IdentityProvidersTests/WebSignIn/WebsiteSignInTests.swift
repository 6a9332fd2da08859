import Gatehouse
import IdentityProviders
import Testing

/// The websites of WeChat and QQ, whose calls are those of their apps.
@Suite("Signing in through a browser with WeChat and QQ")
struct WebsiteSignInTests {
    private static let callback = "redirect_uri=https%3A%2F%2Fapi.example.com%2Fapi%2Fauth%2Facme%2Fcallback"
    private static let answer = ProviderAnswer(code: "the-code")

    private func weChat(_ script: ScriptedProvider) -> WeChatProvider {
        let app = WeChatApp(id: "wx-website", secret: "website-secret", apiURL: ScriptedProvider.apiURL)
        return WeChatProvider(name: ScriptedProvider.weChat, app: app, calls: script.calls)
    }

    private func qq(_ script: ScriptedProvider, id: String = "101234567", pageURL: String = QQProvider.standardPage)
        -> QQProvider
    {
        let app = QQApp(id: id, key: "website-key", apiURL: ScriptedProvider.apiURL)
        return QQProvider(name: ScriptedProvider.qq, app: app, pageURL: pageURL, calls: script.calls)
    }

    @Test("WeChat's page shows the QR code, and its fragment is at the end")
    func weChatPage() {
        #expect(
            weChat(ScriptedProvider([])).pageAddress(for: WebRequest.sent, requestID: nil)
                == "https://open.weixin.qq.com/connect/qrconnect?appid=wx-website&\(Self.callback)&response_type=code"
                + "&scope=snsapi_login&state=the%20state#wechat_redirect")
    }

    @Test("QQ's page gets the callback and the scope; parameters of a configured address stay")
    func qqPage() {
        let parameters =
            "response_type=code&client_id=101234567&\(Self.callback)&state=the%20state&scope=get_user_info"
        let request = WebRequest.sent
        #expect(
            qq(ScriptedProvider([])).pageAddress(for: request, requestID: nil)
                == "https://graph.qq.com/oauth2.0/authorize?\(parameters)")
        #expect(
            qq(ScriptedProvider([]), pageURL: "https://x.example/?a=b").pageAddress(for: request, requestID: nil)
                == "https://x.example/?a=b&\(parameters)")
    }

    @Test("WeChat's code is spent and exchanged with the website's id and secret, and the nickname is asked for")
    func weChat() throws {
        let grant = WeChatAnswer.withProfileAndUnion.replacing("snsapi_userinfo", with: "snsapi_login")
        let script = ScriptedProvider([
            (WeChatAnswer.exchangePath, .body(grant)), (WeChatAnswer.profilePath, .body(WeChatAnswer.profile("小明"))),
        ])
        let result = try script.signIn(by: weChat(script), with: Self.answer, to: WebRequest.sent).get()
        #expect(result.laterCode == nil && result.tokenHash == nil)
        #expect(result.subject == WeChatAnswer.openID && result.clientID == "wx-website")
        #expect(result.unionSubject == WeChatAnswer.unionID && result.nickname == "小明")
        #expect(script.events.first == "spend the-code (1 inside)")
        let query = try #require(script.requests.first).query
        #expect(query["appid"] == "wx-website" && query["secret"] == "website-secret" && query["code"] == "the-code")
    }

    @Test("QQ's code is spent and exchanged with the callback")
    func qq() throws {
        let script = ScriptedProvider([
            (QQAnswer.exchangePath, .body(QQAnswer.token)), (QQAnswer.userPath, .body(QQAnswer.user)),
            (QQAnswer.profilePath, .body(QQAnswer.profile)),
        ])
        let result = try script.signIn(by: qq(script), with: Self.answer, to: WebRequest.sent).get()
        #expect(result.subject == QQAnswer.openID && result.unionSubject == QQAnswer.unionID)
        #expect(result.issuedAt == ScriptedProvider.now, "a code proves a recent login")
        #expect(script.events.first == "spend the-code (1 inside)")
        let query = try #require(script.requests.first).query
        #expect(query["redirect_uri"] == WebRequest.callback && query["client_secret"] == "website-key")
    }

    @Test("a code that belongs to another app of QQ is refused")
    func otherApp() {
        let script = ScriptedProvider([
            (QQAnswer.exchangePath, .body(QQAnswer.token)), (QQAnswer.userPath, .body(QQAnswer.user)),
        ])
        let result = script.signIn(by: qq(script, id: "109999999"), with: Self.answer, to: WebRequest.sent)
        #expect(result == .failure(.identity(.client(PlainName("101234567")), by: ScriptedProvider.qq)))
    }

    @Test("an answer without a code lacks it, and a code that is spent is not exchanged")
    func codes() {
        let script = ScriptedProvider([])
        let spent = Refusal.identity(.replayed, by: ScriptedProvider.qq)
        for provider in [weChat(script), qq(script)] as [any WebIdentityProvider] {
            #expect(
                script.signIn(by: provider, with: ProviderAnswer(), to: WebRequest.sent) == .failure(.missing(.code)))
            #expect(
                script.signIn(by: provider, with: Self.answer, to: WebRequest.sent, spendRefuses: spent)
                    == .failure(spent))
        }
        #expect(script.requests.isEmpty)
    }
}
