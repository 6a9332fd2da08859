import DevelopmentHTTP
import JSON
import Testing
import Text

@testable import StandIn

@Suite("QQ's endpoints")
struct QQTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    private static let appID = "101234567"
    private static let key = "q0123456789abcdef0123456789abcdef"
    private static let redirect = "https%3A%2F%2Fapp.example%2Fqq"

    private func minted(_ order: JSONObject = [:]) throws -> (code: String, token: String) {
        let body = try providers.order("/qq/mint", order)
        return (try #require(body["code"]?.string), try #require(body["accessToken"]?.string))
    }

    private static func exchange(
        _ code: String, id: String = appID, key: String = key, redirect: String = redirect, _ more: String = ""
    ) -> String {
        "/qq/oauth2.0/token?grant_type=authorization_code&client_id=\(id)&client_secret=\(key)&code=\(code)"
            + "&redirect_uri=\(redirect)\(more)"
    }

    /// The object in a call of the function `callback`.
    private func called(_ target: String) throws -> JSONObject {
        let text = try providers.text(target)
        let match = try #require(text.wholeMatch(of: /callback\( (\{.*\}) \);\n/), "\(text)")
        return try #require(try JSONValue(parsing: String(match.output.1)).object)
    }

    @Test("a code is exchanged for tokens, as form fields by default")
    func form() throws {
        let reply = try providers.get(Self.exchange(try minted().code))
        #expect(reply.status == "200 OK" && reply.contentType == "text/html")
        let text = String(decoding: reply.body, as: UTF8.self)
        let form = /access_token=[0-9A-F]{32}&expires_in=7776000&refresh_token=[0-9A-F]{32}/
        #expect(text.wholeMatch(of: form) != nil, "\(text)")
    }

    @Test(
        "a wrong or missing parameter has its own error, in a call",
        arguments: [
            (exchange("x", id: ""), 100001), (exchange("x", key: ""), 100002), (exchange(""), 100005),
            (exchange("x", redirect: ""), 100010), (exchange("x", id: "1"), 100008), (exchange("x", key: "1"), 100009),
            (exchange("x"), 100019), ("/qq/oauth2.0/token", 100004),
            ("/qq/oauth2.0/token?grant_type=refresh_token&client_id=\(appID)&client_secret=\(key)", 100006),
            ("/qq/oauth2.0/me", 100007), ("/qq/oauth2.0/me?access_token=x", 100016),
        ] as [(String, Int64)])
    func errors(target: String, code: Int64) throws {
        let json = try called(target)
        #expect(json["error"] == .integer(code) && json["error_description"]?.string?.isEmpty == false)
        let plain = try providers.json(target + (target.contains("?") ? "&" : "?") + "fmt=json")
        #expect(plain == json)
    }

    @Test("a code lives ten minutes, is used once, and belongs to its app and its redirect address")
    func codes() throws {
        let code = try minted().code
        _ = try providers.get(Self.exchange(code))
        #expect(try called(Self.exchange(code))["error"] == 100020)
        #expect(try called(Self.exchange(try minted(["expired": true]).code))["error"] == 100019)
        #expect(try called(Self.exchange(try minted(["clientID": "1"]).code))["error"] == 100019)
        let bound = try minted(["redirectURI": "https://app.example/qq"]).code
        #expect(try called(Self.exchange(bound, redirect: "https%3A%2F%2Fevil.example"))["error"] == 100010)
        #expect(try providers.text(Self.exchange(bound)).hasPrefix("access_token="))
        let late = try minted().code
        providers.advance(by: 600)
        #expect(try called(Self.exchange(late))["error"] == 100019)
    }

    @Test("a refresh token is used once")
    func refresh() throws {
        let tokens = try providers.json(Self.exchange(try minted().code, "&fmt=json"))
        let target =
            "/qq/oauth2.0/token?grant_type=refresh_token&client_id=\(Self.appID)&client_secret=\(Self.key)"
            + "&fmt=json&refresh_token=\(tokens["refresh_token"]?.string ?? "")"
        let renewed = try providers.json(target)
        #expect(renewed["access_token"] != nil && renewed["access_token"] != tokens["access_token"])
        #expect(try providers.json(target)["error"] == 100022)
    }

    private func identity(_ token: String, _ more: String = "") -> String {
        "/qq/oauth2.0/me?access_token=\(token)\(more)"
    }

    @Test("a union id comes only if it is asked for and enabled")
    func union() throws {
        let (with, without) = (try minted(["openid": "ABC", "union": true]).token, try minted().token)
        #expect(try called(identity(with))["unionid"] == nil)
        #expect(try called(identity(with, "&unionid=true"))["unionid"] == nil)
        let unionID = try #require(try called(identity(with, "&unionid=1"))["unionid"]?.string)
        #expect(unionID.wholeMatch(of: /UID_[0-9A-F]{32}/) != nil)
        let error = try called(identity(without, "&unionid=1"))
        #expect(error == ["error": 100048, "error_description": "companyid not set"])
        #expect(try called(identity(try minted(["union": "UID_1"]).token, "&unionid=1"))["unionid"] == "UID_1")
    }

    private func profile(_ token: String, openID: String = "ABC", app: String = appID) throws -> JSONObject {
        try providers.json("/qq/user/get_user_info?access_token=\(token)&oauth_consumer_key=\(app)&openid=\(openID)")
    }

    @Test("a profile is JSON with numbers as texts, and its errors are in ret")
    func profile() throws {
        let token = try minted(["openid": "ABC", "nickname": "小明"]).token
        let json = try profile(token)
        #expect(json["ret"] == 0 && json["nickname"] == "小明" && json["year"]?.string != nil)
        #expect(
            try profile(token, openID: "DEF") == [
                "ret": -1, "msg": "client request's parameters are invalid, invalid openid",
            ])
        #expect(try profile(token, app: "1")["ret"] == 100008)
        #expect(try profile("x")["ret"] == 100013)
        #expect(try profile(try minted(["openid": "ABC", "expired": true]).token)["ret"] == 100014)
        #expect(try profile(try minted(["openid": "ABC", "fault": 100030]).token)["ret"] == 100030)
    }

    @Test("an error has a trailing comma on demand, as in QQ's sample")
    func trailingComma() throws {
        try providers.order("/qq/faults", ["mode": "trailingComma"])
        #expect(
            try providers.text(identity("x"))
                == #"callback( {"error":100016,"error_description":"access token check failed",} );"# + "\n")
    }

    @Test("an error answers every request, answers are JSON by their type, and another app is set, on demand")
    func control() throws {
        try providers.order("/qq/faults", ["mode": "json", "errcode": 100011])
        #expect(try called(identity("x"))["error"] == 100011)
        #expect(try providers.get(identity("x")).contentType == "application/json; encoding=utf-8")
        try providers.order("/qq/faults")
        try providers.order("/qq/app", ["appID": "2", "appKey": "k"])
        #expect(try providers.text(Self.exchange(try minted().code, id: "2", key: "k")).hasPrefix("access_token="))
    }
}

@Suite("QQ's website login")
struct QQPageTests {
    private let providers: StandInFixture
    private let page: PageFixture

    private static let website = QQ.website
    private static let mobile = (id: "101234567", key: "q0123456789abcdef0123456789abcdef")

    init() throws {
        providers = try StandInFixture()
        let callback = "https://app.example/api/auth/qq/callback"
        try providers.service.register(redirectURI: callback, at: "qq")
        page = PageFixture(
            providers: providers, path: "/qq/oauth2.0/authorize",
            parameters: [
                "client_id": Self.website.id, "redirect_uri": callback, "response_type": "code",
                "scope": "get_user_info", "state": "the-state",
            ])
    }

    private func exchange(
        _ code: String?, id: String = website.id, key: String = website.secret, redirectURI: String? = nil
    ) throws -> JSONObject {
        let redirectURI = PercentEncoding.encode(redirectURI ?? page.callback)
        return try providers.json(
            "/qq/oauth2.0/token?grant_type=authorization_code&client_id=\(id)&client_secret=\(key)"
                + "&code=\(code ?? "")&redirect_uri=\(redirectURI)&fmt=json")
    }

    private func identity(_ token: JSONValue?) throws -> JSONObject {
        try providers.json("/qq/oauth2.0/me?access_token=\(token?.string ?? "")&unionid=1&fmt=json")
    }

    @Test("a user has another openid than at the app for phones, and the same union id")
    func union() throws {
        let web = try identity(try exchange(try page.answer(["user": "ann"])["code"])["access_token"])
        let phone = try identity(try providers.order("/qq/mint", ["user": "ann"])["accessToken"])
        #expect(web["openid"] != phone["openid"] && web["unionid"] == phone["unionid"] && phone["unionid"] != nil)
        let known = try identity(
            try providers.order("/qq/mint", ["openid": "ABC", "union": true])["accessToken"])
        let same = try identity(try exchange(try page.answer(["mobile_openid": "ABC"])["code"])["access_token"])
        #expect(same["unionid"] == known["unionid"] && same["openid"] != "ABC")
    }

    @Test(
        "a wrong parameter shows its error",
        arguments: [
            (["response_type": "token"], "100000"), (["client_id": nil], "100001"),
            (["client_id": mobile.id], "100008"),
            (["redirect_uri": nil], "100010"), (["redirect_uri": "https://app.example/"], "100010"),
            (["state": nil], "100029"),
        ] as [([String: String?], String)])
    func faults(changes: [String: String?], error: String) throws {
        try page.expectFault(providers.reply("GET", page.page(changes)), error)
        try page.expectFault(page.post(to: changes), error)
    }

    @Test("another website app can be registered, a user who declines stay at the page, and the page fail")
    func control() throws {
        try providers.order("/qq/page", ["denial": "stay"])
        #expect(try page.post(["action": "cancel"]).status == "200 OK")
        let body: JSONObject = ["appID": "1", "appKey": "k", "redirectURIs": [.string(page.callback)]]
        try providers.order("/qq/website", body)
        #expect(try exchange(try page.answer(to: ["client_id": "1"])["code"], id: "1", key: "k")["access_token"] != nil)
        try providers.order("/qq/faults", ["mode": "status"])
        #expect(try page.post().status == "500 Ordered")
    }
}
