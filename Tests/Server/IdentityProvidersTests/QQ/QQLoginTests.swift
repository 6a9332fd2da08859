import Gatehouse
import IdentityProviders
import OpenSSL
import POSIX
import Testing

/// QQ's answers, as documented.
enum QQAnswer {
    static let exchangePath = "/oauth2.0/token"
    static let userPath = "/oauth2.0/me"
    static let profilePath = "/user/get_user_info"
    static let openID = "FF2A0123456789ABCDEF0123456789AB"
    static let unionID = "UID_0123456789ABCDEF"

    static let token =
        #"{"access_token":"FE04CCE2","expires_in":"7776000","refresh_token":"88E4BE14","openid":"ignored"}"#
    static let tokenForm = "access_token=FE04CCE2&expires_in=7776000&refresh_token=88E4BE14"
    static let user = """
        {"client_id":"101234567","openid":"FF2A0123456789ABCDEF0123456789AB","unionid":"UID_0123456789ABCDEF"}
        """
    static let userWithoutUnion = #"{"client_id":"101234567","openid":"FF2A0123456789ABCDEF0123456789AB"}"#
    static let profile = """
        {"ret":0,"msg":"","is_lost":0,"nickname":"小明","gender":"男","gender_type":2,"province":"","city":"",
        "year":"1990","figureurl_qq_1":"http:\\/\\/thirdqq.qlogo.cn\\/qqapp\\/40","figureurl_qq_2":""}
        """

    static func error(_ number: Int64) -> String {
        #"{"error":\#(number),"error_description":"code is reused error"}"#
    }

    static func callback(_ json: String) -> String { "callback( \(json) );\n" }
}

@Suite("Logins by QQ")
struct QQLoginTests {
    private static let byToken = IdentityCredential(accessToken: "FE04CCE2")

    private func script(
        token: String = QQAnswer.token, user: String = QQAnswer.user, profile: String = QQAnswer.profile
    ) -> ScriptedProvider {
        ScriptedProvider([
            (QQAnswer.exchangePath, .body(token)), (QQAnswer.userPath, .body(user)),
            (QQAnswer.profilePath, .body(profile)),
        ])
    }

    private func assertion(
        union: String? = QQAnswer.unionID, nickname: String? = "小明", issuedAt: Timestamp = ScriptedProvider.now,
        tokenHash: [UInt8]? = nil
    ) -> ProvenIdentity {
        ProvenIdentity(
            identity: Identity(
                provider: ScriptedProvider.qq, subject: QQAnswer.openID, email: nil, unionSubject: union),
            clientID: "101234567", issuedAt: issuedAt,
            redemption: tokenHash.map {
                Redemption(
                    tokenHash: $0, moment: ScriptedProvider.now, grace: .seconds(60),
                    expiresAt: ScriptedProvider.now + .seconds(92 * 86_400))
            },
            nickname: nickname)
    }

    @Test("a code is spent inside the gate, exchanged once with id and key, and its token asked for the user")
    func code() {
        let script = script()
        #expect(script.qqLogin() == .success(assertion()))
        #expect(
            script.events == [
                "spend the-code (1 inside)", "/oauth2.0/token (1 inside)", "/oauth2.0/me (1 inside)",
                "/user/get_user_info (1 inside)",
            ])
        #expect(
            script.requests.map(\.query) == [
                [
                    "grant_type": "authorization_code", "client_id": "101234567", "client_secret": "the-app-key",
                    "code": "the-code", "redirect_uri": "https://app.example/qq", "fmt": "json",
                ],
                ["access_token": "FE04CCE2", "fmt": "json", "unionid": "1"],
                ["access_token": "FE04CCE2", "oauth_consumer_key": "101234567", "openid": QQAnswer.openID],
            ])
        #expect(script.reports == [.answered])
        #expect(script.gate.count == 0)
    }

    @Test("an access token is asked for its user, and no code is spent; it is redeemed for as long as QQ accepts it")
    func accessToken() {
        let script = script()
        let credential = IdentityCredential(userIdentifier: "victim", accessToken: "FE04CCE2")
        // It may be months old, so it is no recent login.
        let hash = SHA256.hash("qq access token fe04cce2")
        #expect(script.qqLogin(credential) == .success(assertion(issuedAt: Timestamp(seconds: 0), tokenHash: hash)))
        #expect(script.events == ["/oauth2.0/me (1 inside)", "/user/get_user_info (1 inside)"])
        #expect(script.requests.first?.query == ["access_token": "FE04CCE2", "fmt": "json", "unionid": "1"])
        #expect(script.reports == [.answered])
    }

    @Test("a code counts more than an access token")
    func both() {
        let script = script()
        let credential = IdentityCredential(code: "the-code", accessToken: "other", redirectURI: "https://app.example")
        #expect(script.qqLogin(credential) == .success(assertion()))
        #expect(script.requests.dropFirst().allSatisfy { $0.query["access_token"] == "FE04CCE2" })
    }

    @Test("a login that lacks a member makes no call")
    func missing() {
        for (credential, member) in [
            (IdentityCredential(), .codeOrAccessToken),
            (IdentityCredential(identityToken: "x", redirectURI: "x"), .codeOrAccessToken),
            (IdentityCredential(code: "the-code"), .redirectURI),
            (IdentityCredential(code: "the-code", accessToken: "FE04CCE2"), .redirectURI),
        ] as [(IdentityCredential, IdentityCredential.Member)] {
            let script = script()
            #expect(script.qqLogin(credential) == .failure(.missing(member)))
            #expect(script.events.isEmpty)
            #expect(script.reports.isEmpty)
        }
    }

    @Test("no call is made if the code cannot be spent")
    func notSpent() {
        let script = script()
        let replayed = Refusal.identity(.replayed, by: ScriptedProvider.qq)
        let credential = IdentityCredential(code: "the-code", redirectURI: "https://app.example")
        #expect(
            script.logIn(by: script.qqProvider, with: credential, spendRefuses: replayed) == .failure(replayed))
        #expect(script.events == ["spend the-code (1 inside)"])
        #expect(script.reports.isEmpty)
        #expect(script.gate.count == 0)
    }

    @Test("a full gate spends no code and makes no call")
    func crowded() {
        for credential in [Self.byToken, IdentityCredential(code: "the-code", redirectURI: "x")] {
            let script = ScriptedProvider([], gate: CallGate(limit: 0))
            #expect(script.qqLogin(credential) == .failure(.providerUnavailable(ScriptedProvider.qq)))
            #expect(script.events.isEmpty)
            #expect(script.reports == [.crowded])
        }
    }

    @Test("every format of the answers is understood")
    func formats() {
        for token in [QQAnswer.token, QQAnswer.tokenForm, QQAnswer.callback(QQAnswer.token), QQAnswer.tokenForm + "\n"]
        {
            for user in [
                QQAnswer.user, QQAnswer.callback(QQAnswer.user), QQAnswer.user.replacing("}", with: ",\n}"),
                "callback  (\n\(QQAnswer.user)\n)  ;  ", QQAnswer.user.replacing(#""101234567""#, with: "101234567"),
            ] {
                for profile in [QQAnswer.profile, QQAnswer.callback(QQAnswer.profile)] {
                    #expect(script(token: token, user: user, profile: profile).qqLogin() == .success(assertion()))
                }
            }
        }
    }

    @Test(
        "the token of another app is refused with its id, because its users have not signed in here",
        arguments: [
            (#""1106009253""#, "1106009253"), ("1106009253", "1106009253"), (#""0101234567""#, "0101234567"),
            (#""101234567 ""#, nil), (#""""#, nil), (#""１０１２３４５６７""#, nil), (#""wx&""#, nil),
        ] as [(String, String?)])
    func otherApp(sent: String, name: String?) {
        let user = QQAnswer.user.replacing(#""101234567""#, with: sent)
        let refusal = Refusal.identity(.client(name.flatMap { PlainName($0) }), by: ScriptedProvider.qq)
        for credential in [Self.byToken, IdentityCredential(code: "the-code", redirectURI: "x")] {
            let script = script(user: user)
            #expect(script.qqLogin(credential) == .failure(refusal))
            #expect(script.reports == [.answered])
            #expect(!script.paths.contains(QQAnswer.profilePath))
        }
    }

    @Test("an app that does not use unionids is asked once more without, and the code is exchanged once")
    func noUnion() {
        let script = ScriptedProvider([
            (QQAnswer.exchangePath, .body(QQAnswer.token)), (QQAnswer.userPath, .body(QQAnswer.error(100048))),
            (QQAnswer.userPath, .body(QQAnswer.callback(QQAnswer.userWithoutUnion))),
            (QQAnswer.profilePath, .body(QQAnswer.profile)),
        ])
        #expect(script.qqLogin() == .success(assertion(union: nil)))
        #expect(
            script.paths == [QQAnswer.exchangePath, QQAnswer.userPath, QQAnswer.userPath, QQAnswer.profilePath])
        #expect(script.requests[2].query == ["access_token": "FE04CCE2", "fmt": "json"])
    }

    @Test("it is asked not more than once more")
    func neverUnion() {
        let error = ScriptedProvider.Answer.body(QQAnswer.error(100048))
        let script = ScriptedProvider(Array(repeating: (QQAnswer.userPath, error), count: 3))
        #expect(script.qqLogin(Self.byToken) == .failure(.providerUnavailable(ScriptedProvider.qq)))
        #expect(script.paths == [QQAnswer.userPath, QQAnswer.userPath])
        #expect(script.reports == [.unavailable("/oauth2.0/me: error 100048")])
    }

    @Test(
        "a nickname that QQ does not give does not fail the login",
        arguments: [
            .timeout, .status(500, ""), .body(""), .body("<html>"), .body("{}"), .body(#"{"nickname":"x"}"#),
            .body(#"{"ret":-1,"msg":"client request's parameters are invalid, invalid openid","nickname":"x"}"#),
            .body(#"{"ret":100030,"msg":"","nickname":"x"}"#), .body(QQAnswer.error(100013)),
            .body(#"{"ret":0,"nickname":""}"#), .body(#"{"ret":0,"nickname":"half"#),
        ] as [ScriptedProvider.Answer])
    func noNickname(answer: ScriptedProvider.Answer) {
        let script = ScriptedProvider([
            (QQAnswer.exchangePath, .body(QQAnswer.token)), (QQAnswer.userPath, .body(QQAnswer.user)),
            (QQAnswer.profilePath, answer),
        ])
        #expect(script.qqLogin() == .success(assertion(nickname: nil)))
        #expect(script.reports == [.answered])
        #expect(script.gate.count == 0)
    }

    @Test("an odd nickname is repaired")
    func oddNickname() throws {
        let profile = QQAnswer.profile.replacing("小明", with: "\u{1}\u{2}Li\u{3}Lei\u{0} 👨‍👩‍👧‍👦")
        #expect(try script(profile: profile).qqLogin().get().nickname == "Li Lei  👨‍👩‍👧‍👦")
    }

    @Test("an access token that cannot be one is refused without a call")
    func unusableToken() {
        for token in ["", " ", "a b", "é", "a\r\nb", String(repeating: "x", count: 1025)] {
            let script = script()
            let refusal = Refusal.identity(.accessToken, by: ScriptedProvider.qq)
            #expect(script.qqLogin(IdentityCredential(accessToken: token)) == .failure(refusal))
            #expect(script.events.isEmpty)
        }
    }
}
