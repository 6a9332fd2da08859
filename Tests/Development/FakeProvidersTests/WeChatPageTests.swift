import DevelopmentHTTP
import JSON
import SignInPages
import Testing

@testable import FakeProviders

@Suite("WeChat's website login")
struct WeChatPageTests {
    private let providers: ProvidersFixture
    private let page: PageFixture

    private static let website = WeChatPage.usualClient
    private static let mobile = (id: "wx1234567890abcdef", secret: "0123456789abcdef0123456789abcdef")

    init() throws {
        providers = try ProvidersFixture()
        let callback = "https://app.example/api/auth/wechat/callback"
        try providers.service.register(redirectURI: callback, at: "wechat")
        page = PageFixture(
            providers: providers, path: "/wechat/connect/qrconnect",
            parameters: [
                "appid": Self.website.id, "redirect_uri": callback, "response_type": "code", "scope": "snsapi_login",
                "state": "the-state",
            ])
    }

    private func exchange(
        _ code: String?, id: String = website.id, secret: String = website.secret
    ) throws -> JSONObject {
        try providers.json(
            "/wechat/sns/oauth2/access_token?appid=\(id)&secret=\(secret)&code=\(code ?? "")"
                + "&grant_type=authorization_code")
    }

    @Test("a user who scans brings a code and the state")
    func signIn() throws {
        let html = String(decoding: try providers.get(page.page()).body, as: UTF8.self)
        #expect(html.contains("Scan"))
        let answer = try page.answer()
        #expect(Set(answer.keys) == ["code", "state"] && answer["state"] == "the-state")
        let tokens = try exchange(answer["code"])
        #expect(tokens["openid"]?.string?.count == 28 && tokens["unionid"]?.string?.count == 28)
        #expect(tokens["scope"] == "snsapi_login")
    }

    @Test("a user has another openid than at the app for phones, and the same union id")
    func union() throws {
        let web = try exchange(try page.answer(["user": "ann"])["code"])
        let code = try providers.order("/wechat/mint", ["user": "ann"])["code"]?.string
        let phone = try exchange(code, id: Self.mobile.id, secret: Self.mobile.secret)
        #expect(web["openid"] != phone["openid"] && web["unionid"] == phone["unionid"])
        #expect(phone["unionid"] != nil)
        let minted = try providers.order("/wechat/mint", ["openid": "oAnn", "union": true])["code"]?.string
        let known = try exchange(minted, id: Self.mobile.id, secret: Self.mobile.secret)
        let same = try exchange(try page.answer(["mobile_openid": "oAnn"])["code"])
        #expect(same["unionid"] == known["unionid"] && same["openid"] != "oAnn")
        let given = try exchange(try page.answer(["openid": "oWeb", "union": "none"])["code"])
        #expect(given["openid"] == "oWeb" && given["unionid"] == nil)
    }

    @Test("a code belongs to its app")
    func apps() throws {
        let code = try page.answer()["code"]
        #expect(try exchange(code, id: Self.mobile.id, secret: Self.mobile.secret)["errcode"] == 40029)
        #expect(try exchange(code, secret: Self.mobile.secret)["errcode"] == 40125)
        let tokens = try exchange(code)
        let refresh = "&grant_type=refresh_token&refresh_token=\(tokens["refresh_token"]?.string ?? "")"
        let path = "/wechat/sns/oauth2/refresh_token?appid="
        #expect(try providers.json(path + Self.mobile.id + refresh)["errcode"] == 40030)
        #expect(try providers.json(path + Self.website.id + refresh)["openid"] == tokens["openid"])
        let minted = try providers.order("/wechat/mint")["code"]?.string
        #expect(try exchange(minted)["errcode"] == 40029)
    }

    @Test("a user who declines brings the state alone, or stays at the page")
    func denial() throws {
        #expect(try page.answer(["action": "cancel"]) == ["state": "the-state"])
        try providers.order("/wechat/page", ["denial": "stay"])
        #expect(try page.post(["action": "cancel"]).status == "200 OK")
        #expect(throws: HTTPRefusal.self) { try providers.order("/wechat/page", ["denial": "x"]) }
    }

    @Test(
        "a wrong parameter shows an error",
        arguments: [
            (["appid": mobile.id], "AppID 参数错误"), (["appid": nil], "AppID 参数错误"),
            (["redirect_uri": "https://evil.example/"], "redirect_uri 参数错误"),
            (["redirect_uri": "https://app.example:1@evil.example/"], "redirect_uri 参数错误"),
            (["redirect_uri": "https://evil.example\\app.example/"], "redirect_uri 参数错误"),
            (["response_type": "token"], "response_type 参数错误"),
            (["scope": "snsapi_userinfo"], "Scope 参数错误或没有 Scope 权限"), (["scope": nil], "Scope 参数错误或没有 Scope 权限"),
        ] as [([String: String?], String)])
    func faults(changes: [String: String?], error: String) throws {
        try page.expectFault(providers.reply("GET", page.page(changes)), error)
        try page.expectFault(page.post(to: changes), error)
    }

    @Test("any address of the registered domain is accepted")
    func domain() throws {
        let other = "https://app.example/other"
        #expect(try page.post(to: ["redirect_uri": other]).fields.contains { $0.value.hasPrefix(other + "?code=") })
    }

    @Test("another website app can be registered, and the next answer be an error")
    func control() throws {
        try providers.order(
            "/wechat/website", ["appID": "wx2", "appSecret": "s", "redirectURIs": ["https://app.example/"]])
        #expect(try exchange(try page.answer(to: ["appid": "wx2"])["code"], id: "wx2", secret: "s")["openid"] != nil)
        try providers.order("/wechat/answers", ["parameters": ["code": "other"]])
        #expect(try page.answer()["code"] == "other")
        #expect(throws: HTTPRefusal.self) { try providers.order("/wechat/answers", ["token": [:]]) }
        try providers.order("/wechat/faults", ["errcode": -1])
        try page.expectFault(page.post(), "-1")
    }

    @Test("no line of the log has a code or a user")
    func log() throws {
        let code = try #require(try page.answer()["code"])
        _ = try exchange(code)
        let log = providers.logged.joined()
        #expect(!log.contains(code) && !log.contains("ann@") && !log.contains("the-state"))
        #expect(log.contains(#""fields":["#))
    }
}
