import DevelopmentHTTP
import JSON
import Testing

@testable import FakeProviders

@Suite("WeChat's endpoints")
struct WeChatTests {
    private let providers: ProvidersFixture

    init() throws {
        providers = try ProvidersFixture()
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

    @Test("a code is exchanged for tokens, as plain text")
    func tokensOfCode() throws {
        let reply = try providers.get(Self.exchange(try code(["openid": "oAnn", "union": "uAnn"])))
        #expect(reply.status == "200 OK" && reply.contentType == "text/plain")
        let json = try #require(try JSONValue(parsing: reply.body).object)
        #expect(json.names == ["access_token", "expires_in", "refresh_token", "openid", "scope", "unionid"])
        #expect(json["openid"] == "oAnn" && json["unionid"] == "uAnn" && json["expires_in"] == 7200)
        #expect(json["scope"] == "snsapi_userinfo")
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

    @Test("a code lives ten minutes, and is used once")
    func codes() throws {
        let used = try code()
        _ = try providers.json(Self.exchange(used))
        #expect(try error(Self.exchange(used)) == 40163)
        let (late, early) = (try code(), try code())
        providers.advance(by: 599)
        #expect(try providers.json(Self.exchange(early))["openid"] != nil)
        providers.advance(by: 1)
        #expect(try error(Self.exchange(late)) == 42003)
        #expect(try error(Self.exchange(try code(["expired": true]))) == 42003)
    }

    @Test("a code answers with the ordered error", arguments: [-1, 40029, 45011] as [Int64])
    func faults(fault: Int64) throws {
        let code = try code(["fault": .integer(fault)])
        for _ in 0..<2 { #expect(try error(Self.exchange(code)) == fault) }
    }

    @Test("a wrong secret does not use up the code")
    func wrongSecret() throws {
        let code = try code()
        #expect(try error(Self.exchange(code, secret: "0")) == 40125)
        #expect(try providers.json(Self.exchange(code))["openid"] != nil)
    }

    @Test("another app can be set")
    func app() throws {
        try providers.order("/wechat/app", ["appID": "wx2", "appSecret": "s"])
        #expect(try error(Self.exchange(try code())) == 40013)
        #expect(try providers.json(Self.exchange(try code(), id: "wx2", secret: "s"))["openid"] != nil)
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

    @Test("answers are JSON by their type on demand")
    func contentType() throws {
        try providers.order("/wechat/faults", ["mode": "json"])
        #expect(try providers.get(Self.exchange("x")).contentType == "application/json; encoding=utf-8")
    }

    @Test("an error answers every request until it is removed, and uses up no code")
    func errorMode() throws {
        let code = try code()
        try providers.order("/wechat/faults", ["errcode": -1])
        #expect(try error(Self.exchange(code)) == -1)
        _ = try providers.service.control("/wechat/faults", method: "DELETE")
        #expect(try providers.json(Self.exchange(code))["openid"] != nil)
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
