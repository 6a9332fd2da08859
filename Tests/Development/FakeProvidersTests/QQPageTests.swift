import DevelopmentHTTP
import JSON
import SignInPages
import Testing

@testable import FakeProviders

@Suite("QQ's website login")
struct QQPageTests {
    private let providers: ProvidersFixture
    private let page: PageFixture

    private static let website = QQPage.usualClient
    private static let mobile = (id: "101234567", key: "q0123456789abcdef0123456789abcdef")

    init() throws {
        providers = try ProvidersFixture()
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
        let redirectURI = FormText.encode(redirectURI ?? page.callback)
        return try providers.json(
            "/qq/oauth2.0/token?grant_type=authorization_code&client_id=\(id)&client_secret=\(key)"
                + "&code=\(code ?? "")&redirect_uri=\(redirectURI)&fmt=json")
    }

    private func identity(_ token: JSONValue?) throws -> JSONObject {
        try providers.json("/qq/oauth2.0/me?access_token=\(token?.string ?? "")&unionid=1&fmt=json")
    }

    @Test("a sign-in brings a code and the state, and the token has the website's id")
    func signIn() throws {
        let answer = try page.answer()
        #expect(Set(answer.keys) == ["code", "state"] && answer["state"] == "the-state")
        let me = try identity(try exchange(answer["code"])["access_token"])
        #expect(me["client_id"] == .string(Self.website.id) && me["openid"]?.string?.count == 32)
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

    @Test("a code belongs to its app and its redirect address")
    func codes() throws {
        let code = try page.answer()["code"]
        #expect(try exchange(code, id: Self.mobile.id, key: Self.mobile.key)["error"] == 100019)
        #expect(try exchange(code, key: Self.mobile.key)["error"] == 100009)
        #expect(try exchange(code, redirectURI: "https://app.example/")["error"] == 100010)
        #expect(try exchange(code)["access_token"] != nil)
        #expect(try exchange(code)["error"] == 100020)
        let minted = try providers.order("/qq/mint")["code"]?.string
        #expect(try exchange(minted)["error"] == 100019)
    }

    @Test("a user who declines brings usercancel, or stays at the page")
    func denial() throws {
        #expect(try page.answer(["action": "cancel"]) == ["usercancel": "1", "state": "the-state"])
        try providers.order("/qq/page", ["denial": "stay"])
        #expect(try page.post(["action": "cancel"]).status == "200 OK")
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

    @Test("another website app can be registered, and the page fail")
    func control() throws {
        let body: JSONObject = ["appID": "1", "appKey": "k", "redirectURIs": [.string(page.callback)]]
        try providers.order("/qq/website", body)
        #expect(try exchange(try page.answer(to: ["client_id": "1"])["code"], id: "1", key: "k")["access_token"] != nil)
        try providers.order("/qq/faults", ["mode": "status"])
        #expect(try page.post().status == "500 Ordered")
    }
}
