import DevelopmentHTTP
import JSON
import Testing

@testable import StandIn

@Suite("WeChat's endpoints")
struct WeChatTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private static let appID = "wx1234567890abcdef"
    private static let secret = "0123456789abcdef0123456789abcdef"

    private func code(_ order: JSONObject = [:]) throws -> String {
        try #require(try providers.order("/wechat/mint", order)["code"]?.string)
    }

    private static func exchange(_ code: String, id: String = appID, secret: String = secret) -> String {
        "/wechat/sns/oauth2/access_token?appid=\(id)&secret=\(secret)&code=\(code)&grant_type=authorization_code"
    }

    private func tokens(_ order: JSONObject = [:]) throws -> JSONObject {
        try providers.json(Self.exchange(try code(order)))
    }

    private func profile(_ tokens: JSONObject, openID: String? = nil) throws -> String {
        let token = try #require(tokens["access_token"]?.string)
        return try providers.text(
            "/wechat/sns/userinfo?access_token=\(token)&openid=\(openID ?? tokens["openid"]?.string ?? "")&lang=zh_CN")
    }

    @Test("a union id is the same for each code of a user, and absent by default and without the scope")
    func union() throws {
        let first = try tokens(["openid": "oAnn", "union": true])
        #expect(first["unionid"]?.string?.count == 28)
        #expect(try tokens(["openid": "oAnn", "union": true])["unionid"] == first["unionid"])
        #expect(try tokens(["openid": "oAnn"])["unionid"] == nil)
        #expect(try tokens(["openid": "oAnn", "union": false])["unionid"] == nil)
        #expect(try tokens(["union": true, "scope": "snsapi_base"])["unionid"] == nil)
    }

    /// The error of an answer, which has status 200 and a request id.
    private func error(_ target: String) throws -> Int64? {
        let reply = try providers.get(target)
        #expect(reply.status == "200 OK")
        let json = try #require(try JSONValue(parsing: reply.body).object)
        let message = try #require(json["errmsg"]?.string)
        #expect(message.firstMatch(of: /, rid: [0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}$/) != nil)
        return json["errcode"]?.integer
    }

    @Test(
        "a wrong or missing parameter has its own error",
        arguments: [
            (exchange("x", id: "wx0"), 40013), (exchange("x", secret: "0"), 40125), (exchange("x"), 40029),
            (exchange(""), 41008), (exchange("x", id: ""), 41002), (exchange("x", secret: ""), 41004),
            (exchange("x").replacing("authorization_code", with: "x"), 40002),
            ("/wechat/sns/oauth2/refresh_token", 41002),
            ("/wechat/sns/oauth2/refresh_token?appid=\(appID)&grant_type=refresh_token", 41003),
            ("/wechat/sns/oauth2/refresh_token?appid=\(appID)&grant_type=refresh_token&refresh_token=x", 40030),
            ("/wechat/sns/auth", 41001), ("/wechat/sns/auth?access_token=x", 41009),
            ("/wechat/sns/userinfo?access_token=x&openid=x", 40001),
        ] as [(String, Int64)])
    func errors(target: String, code: Int64) throws {
        #expect(try error(target) == code)
    }

    @Test("a code lives ten minutes, and is used once; a wrong secret does not use it up")
    func codes() throws {
        let used = try code()
        #expect(try error(Self.exchange(used, secret: "0")) == 40125)
        _ = try providers.json(Self.exchange(used))
        #expect(try error(Self.exchange(used)) == 40163)
        let (late, early) = (try code(), try code())
        providers.advance(by: 599)
        #expect(try providers.json(Self.exchange(early))["openid"] != nil)
        providers.advance(by: 1)
        #expect(try error(Self.exchange(late)) == 42003)
        #expect(try error(Self.exchange(try code(["expired": true]))) == 42003)
    }

    @Test("a refresh extends a token that has not expired, and replaces one that has")
    func refresh() throws {
        let tokens = try tokens()
        let target =
            "/wechat/sns/oauth2/refresh_token?appid=\(Self.appID)&grant_type=refresh_token&refresh_token="
            + (tokens["refresh_token"]?.string ?? "")
        #expect(try providers.json(target)["access_token"] == tokens["access_token"])
        providers.advance(by: 7200)
        #expect(try profileError(tokens) == 42001)
        let renewed = try providers.json(target)
        #expect(renewed["access_token"] != tokens["access_token"] && renewed["unionid"] == nil)
        providers.advance(by: 30 * 86_400)
        #expect(try error(target) == 42002)
    }

    private func profileError(_ tokens: JSONObject, openID: String? = nil) throws -> Int64? {
        try JSONValue(parsing: try profile(tokens, openID: openID)).object?["errcode"]?.integer
    }

    @Test("a token is checked with its openid")
    func auth() throws {
        let tokens = try tokens(["openid": "oAnn"])
        let target = "/wechat/sns/auth?access_token=\(tokens["access_token"]?.string ?? "")&openid="
        #expect(try providers.text(target + "oAnn") == #"{"errcode":0,"errmsg":"ok"}"#)
        #expect(try error(target + "oBob") == 40003)
        #expect(try profileError(tokens, openID: "oBob") == 40003)
    }

    @Test("a profile has escaped slashes, and a nickname of any text")
    func profile() throws {
        let nickname = "小明 😀 \u{E13C} \"\\/\u{7}\n"
        let text = try profile(try tokens(["nickname": .string(nickname), "union": "uAnn"]))
        #expect(text.contains(#""headimgurl":"https:\/\/"#))
        let json = try #require(try JSONValue(parsing: text).object)
        #expect(json["nickname"] == .string(nickname) && json["unionid"] == "uAnn" && json["sex"] == 0)
        #expect(try profileError(try tokens(["scope": "snsapi_base"])) == 48001)
    }

    @Test("control characters of a nickname are sent as they are on demand")
    func rawNickname() throws {
        let nickname = "a\u{1}b\nc\t\\n\"d"
        let text = try profile(try tokens(["nickname": .string(nickname), "rawNickname": true]))
        #expect(text.contains("a\u{1}b\nc\t" + #"\\n\"d""#))
        #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    }

    @Test(
        "an unperformed request uses up no code; a delayed one does",
        arguments: ["status", "close", "html", "redirect"])
    func modes(mode: String) throws {
        let code = try code()
        try providers.order("/wechat/faults", ["mode": .string(mode)])
        _ = providers.action("GET", Self.exchange(code))
        try providers.order("/wechat/faults", ["mode": "slow", "seconds": 5])
        guard case .reply(let reply, let seconds) = providers.action("GET", Self.exchange(code)) else {
            Issue.record("no answer")
            return
        }
        #expect(seconds == 5)
        #expect(try JSONValue(parsing: reply.body).object?["openid"] != nil)
        try providers.order("/wechat/faults")
        #expect(try error(Self.exchange(code)) == 40163)
    }
}

@Suite("WeChat's website login")
struct WeChatPageTests {
    private let providers: StandInFixture
    private let page: PageFixture

    private static let website = WeChat.website
    private static let mobile = (id: "wx1234567890abcdef", secret: "0123456789abcdef0123456789abcdef")

    init() throws {
        providers = try StandInFixture()
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

    @Test("another website app can be registered, a user who declines stay, and the next answer be an error")
    func control() throws {
        try providers.order(
            "/wechat/website", ["appID": "wx2", "appSecret": "s", "redirectURIs": ["https://app.example/"]])
        #expect(try exchange(try page.answer(to: ["appid": "wx2"])["code"], id: "wx2", secret: "s")["openid"] != nil)
        try providers.order("/wechat/answers", ["parameters": ["code": "other"]])
        #expect(try page.answer()["code"] == "other")
        #expect(throws: HTTPRefusal.self) { try providers.order("/wechat/answers", ["token": [:]]) }
        try providers.order("/wechat/page", ["denial": "stay"])
        #expect(try page.post(["action": "cancel"]).status == "200 OK")
        #expect(throws: HTTPRefusal.self) { try providers.order("/wechat/page", ["denial": "x"]) }
        try providers.order("/wechat/faults", ["errcode": -1])
        try page.expectFault(page.post(), "-1")
    }
}
