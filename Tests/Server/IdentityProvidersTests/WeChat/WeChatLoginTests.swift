import Gatehouse
import IdentityProviders
import POSIX
import Testing

/// WeChat's answers, as documented.
enum WeChatAnswer {
    static let exchangePath = "/sns/oauth2/access_token"
    static let profilePath = "/sns/userinfo"
    static let openID = "o6_bmjrPTlm6_2sgVt7hMZOPfL2M"
    static let unionID = "oxTWIuGaIt6gTKsQRLau2M0yL16E"

    static let base = """
        {"access_token":"the-token","expires_in":7200,"refresh_token":"the-refresh-token",\
        "openid":"o6_bmjrPTlm6_2sgVt7hMZOPfL2M","scope":"snsapi_base"}
        """
    static let withProfile = """
        {"access_token":"the-token","expires_in":7200,"refresh_token":"the-refresh-token",\
        "openid":"o6_bmjrPTlm6_2sgVt7hMZOPfL2M","scope":"snsapi_login,snsapi_userinfo"}
        """
    static let withProfileAndUnion = """
        {"access_token":"the-token","expires_in":"7200","refresh_token":"the-refresh-token","errcode":0,\
        "openid":"o6_bmjrPTlm6_2sgVt7hMZOPfL2M","scope":"snsapi_userinfo","unionid":"oxTWIuGaIt6gTKsQRLau2M0yL16E"}
        """

    static func profile(_ nickname: String, openID: String = openID, unionID: String = unionID) -> String {
        """
        {"openid":"\(openID)","nickname":"\(nickname)","sex":1,"province":"","city":"","country":"",
        "headimgurl":"https:\\/\\/thirdwx.qlogo.cn\\/mmopen\\/vi_32\\/0","privilege":[],"unionid":"\(unionID)"}
        """
    }

    static func error(_ number: Int64) -> String {
        #"{"errcode":\#(number),"errmsg":"invalid code, rid: 62bae58d-5bf58b34-5f8e035e"}"#
    }
}

@Suite("Logins by WeChat")
struct WeChatLoginTests {
    private func script(_ exchange: String, profile: ScriptedProvider.Answer? = nil) -> ScriptedProvider {
        ScriptedProvider(
            [(WeChatAnswer.exchangePath, .body(exchange))] + (profile.map { [(WeChatAnswer.profilePath, $0)] } ?? []))
    }

    private func assertion(union: String? = nil, nickname: String? = nil) -> ProvenIdentity {
        ProvenIdentity(
            identity: Identity(
                provider: ScriptedProvider.weChat, subject: WeChatAnswer.openID, email: nil, unionSubject: union),
            clientID: ScriptedProvider.weChatApp.id, issuedAt: ScriptedProvider.now, nickname: nickname)
    }

    @Test("a code is spent inside the gate and then exchanged, once, with the operator's id and secret")
    func exchange() throws {
        let script = script(WeChatAnswer.base)
        #expect(script.weChatLogin() == .success(assertion()))
        #expect(script.events == ["spend the-code (1 inside)", "/sns/oauth2/access_token (1 inside)"])
        let request = try #require(script.requests.first)
        #expect(request.url == "https://provider.example/sns/oauth2/access_token")
        #expect(
            request.query == [
                "appid": "wx0123456789abcdef", "secret": "the-app-secret", "code": "the-code",
                "grant_type": "authorization_code",
            ])
        #expect(script.gate.count == 0)
        #expect(script.reports == [.answered])
    }

    @Test("a login without a code lacks it, whatever else the client sends: a token may be from another app")
    func noCode() {
        let script = script(WeChatAnswer.base)
        let credential = IdentityCredential(
            identityToken: "the-token", userIdentifier: WeChatAnswer.openID, accessToken: "the-token",
            redirectURI: "https://app.example")
        #expect(script.logIn(by: script.weChatProvider, with: credential) == .failure(.missing(.code)))
        #expect(script.events.isEmpty)
        #expect(script.reports.isEmpty)
    }

    @Test("the client's token and user are ignored beside a code")
    func onlyTheCode() {
        let script = script(WeChatAnswer.base)
        let credential = IdentityCredential(
            identityToken: "x", code: "the-code", userIdentifier: "victim", accessToken: "x", redirectURI: "x")
        #expect(script.logIn(by: script.weChatProvider, with: credential) == .success(assertion()))
    }

    @Test("no call is made if the code cannot be spent, and the gate is left")
    func notSpent() {
        for refusal: Refusal in [
            .identity(.replayed, by: ScriptedProvider.weChat), .providerUnavailable(.dev), .unknownProvider,
        ] {
            let script = script(WeChatAnswer.base)
            let outcome = script.logIn(
                by: script.weChatProvider, with: IdentityCredential(code: "the-code"), spendRefuses: refusal)
            #expect(outcome == .failure(refusal))
            #expect(script.events == ["spend the-code (1 inside)"])
            #expect(script.reports.isEmpty)
            #expect(script.gate.count == 0)
        }
    }

    @Test("a full gate, of its own or shared, spends no code")
    func crowded() {
        for gate in [CallGate(limit: 0), CallGate(limit: 1, shared: CallGate(limit: 0))] {
            let script = ScriptedProvider([(WeChatAnswer.exchangePath, .body(WeChatAnswer.base))], gate: gate)
            #expect(script.weChatLogin() == .failure(.providerUnavailable(ScriptedProvider.weChat)))
            #expect(script.events.isEmpty)
            #expect(script.reports == [.crowded])
            #expect(gate.count == 0)
        }
    }

    @Test("with the scope of the profile, the nickname and a missing unionid come from there")
    func profile() throws {
        let script = script(WeChatAnswer.withProfile, profile: .body(WeChatAnswer.profile("小明")))
        #expect(script.weChatLogin() == .success(assertion(union: WeChatAnswer.unionID, nickname: "小明")))
        #expect(script.paths == [WeChatAnswer.exchangePath, WeChatAnswer.profilePath])
        #expect(script.requests.last?.query == ["access_token": "the-token", "openid": WeChatAnswer.openID])
        #expect(script.reports == [.answered])
    }

    @Test(
        "only the scopes of the profile and of websites permit it",
        arguments: ["snsapi_base", "", "snsapi_userinfo_x", "snsapi_login_x", "SNSAPI_USERINFO"])
    func noProfile(scope: String) {
        let script = script(
            WeChatAnswer.base.replacing("snsapi_base", with: scope), profile: .body(WeChatAnswer.profile("小明")))
        #expect(script.weChatLogin() == .success(assertion()))
        #expect(script.paths == [WeChatAnswer.exchangePath])
    }

    @Test(
        "a profile that WeChat does not give, or that cannot be read, does not fail the login",
        arguments: [
            .timeout, .status(500, "{}"), .status(404, "<html>"), .body(""), .body("<html>"), .body("{}"),
            .body(#"{"openid":"o6_bmjrPTlm6_2sgVt7hMZOPfL2M","nickname":"half"#), .body(WeChatAnswer.error(40001)),
            .body(WeChatAnswer.error(48001)), .body(WeChatAnswer.error(-1)), .body(WeChatAnswer.error(40003)),
            .body(WeChatAnswer.profile(String(repeating: "x", count: 65_536))),
            .body(#"{"errcode":"x","openid":"o6_bmjrPTlm6_2sgVt7hMZOPfL2M","nickname":"x"}"#),
        ] as [ScriptedProvider.Answer])
    func failingProfile(answer: ScriptedProvider.Answer) {
        let script = script(WeChatAnswer.withProfileAndUnion, profile: answer)
        #expect(script.weChatLogin() == .success(assertion(union: WeChatAnswer.unionID)))
        #expect(script.paths == [WeChatAnswer.exchangePath, WeChatAnswer.profilePath])
        #expect(script.reports == [.answered])
        #expect(script.gate.count == 0)
    }

    @Test("a profile of another user, by openid or by unionid, is ignored as a whole")
    func otherUser() {
        let other = WeChatAnswer.profile("Mallory", openID: "o6_other", unionID: "oxOther")
        #expect(script(WeChatAnswer.withProfile, profile: .body(other)).weChatLogin() == .success(assertion()))
        let unnamed = #"{"nickname":"Mallory","unionid":"oxOther"}"#
        #expect(script(WeChatAnswer.withProfile, profile: .body(unnamed)).weChatLogin() == .success(assertion()))
        let otherUnion = WeChatAnswer.profile("Mallory", unionID: "oxOther")
        #expect(
            script(WeChatAnswer.withProfileAndUnion, profile: .body(otherUnion)).weChatLogin()
                == .success(assertion(union: WeChatAnswer.unionID)))
    }

    @Test(
        "an odd nickname is repaired, and none is nil",
        arguments: [
            ("\u{0}\u{1}Li\nLei", "Li Lei"), ("😀\u{E13C}", "😀\u{E13C}"), ("\\ud83d\\ude00", "😀"), ("", nil),
            (" ", nil), ("\\u0000", nil), (String(repeating: "字", count: 100), String(repeating: "字", count: 64)),
        ] as [(String, String?)])
    func nicknames(sent: String, nickname: String?) {
        let script = script(WeChatAnswer.withProfile, profile: .body(WeChatAnswer.profile(sent)))
        #expect(script.weChatLogin() == .success(assertion(union: WeChatAnswer.unionID, nickname: nickname)))
    }

    @Test("an unusable unionid in the profile is ignored, because it may come later")
    func unionOfProfile() {
        for union in ["", " ", "é", String(repeating: "x", count: 129)] {
            let script = script(
                WeChatAnswer.withProfile, profile: .body(WeChatAnswer.profile("小明", unionID: union)))
            #expect(script.weChatLogin() == .success(assertion(nickname: "小明")))
        }
    }

    @Test("an empty unionid of the exchange is none")
    func emptyUnion() {
        for value in [#""""#, "null"] {
            let answer = WeChatAnswer.base.replacing(#""scope""#, with: #""unionid":\#(value),"scope""#)
            #expect(script(answer).weChatLogin() == .success(assertion()))
        }
    }
}
