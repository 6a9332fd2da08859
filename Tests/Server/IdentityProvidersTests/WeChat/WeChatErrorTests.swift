import Curl
import Gatehouse
import IdentityProviders
import POSIX
import Testing

@Suite("Errors of WeChat")
struct WeChatErrorTests {
    private static let weChat = ScriptedProvider.weChat

    /// Expects that one exchange ends the login.
    private func expect(
        _ answer: ScriptedProvider.Answer, _ refusal: Refusal, _ report: ProviderReport,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let script = ScriptedProvider([
            (WeChatAnswer.exchangePath, answer), (WeChatAnswer.exchangePath, .body(WeChatAnswer.withProfile)),
            (WeChatAnswer.profilePath, .body(WeChatAnswer.profile("x"))),
        ])
        #expect(script.weChatLogin() == .failure(refusal), sourceLocation: sourceLocation)
        #expect(script.reports == [report], sourceLocation: sourceLocation)
        #expect(script.paths == [WeChatAnswer.exchangePath], sourceLocation: sourceLocation)
        #expect(script.events.count == 2, sourceLocation: sourceLocation)
        #expect(script.gate.count == 0, sourceLocation: sourceLocation)
    }

    @Test(
        "a code that is wrong, used, expired or missing is the client's fault",
        arguments: [40029, 40163, 42003, 41008])
    func code(number: Int64) {
        expect(.body(WeChatAnswer.error(number)), .identity(.code, by: Self.weChat), .answered)
        expect(.body(#"{"errcode":"\#(number)"}"#), .identity(.code, by: Self.weChat), .answered)
    }

    @Test(
        "a refused id, secret, address or permission is the operator's fault",
        arguments: [40013, 40125, 40243, 40164, 41002, 41004, 48001, 50001, 50002])
    func configuration(number: Int64) {
        expect(
            .body(WeChatAnswer.error(number)), .providerMisconfigured(Self.weChat),
            .misconfigured(code: "\(number)"))
    }

    @Test(
        "any other error may pass, and is reported with its number",
        arguments: [-1, 45009, 45011, 45035, 40001, 40003, 42001, 40030, 1, 99999, Int64.max])
    func other(number: Int64) {
        expect(
            .body(WeChatAnswer.error(number)), .providerUnavailable(Self.weChat),
            .unavailable("/sns/oauth2/access_token: error \(number)"))
    }

    @Test("an error counts, even if there is an openid beside it")
    func both() {
        expect(
            .body(WeChatAnswer.withProfile.replacing("{", with: #"{"errcode":40029,"#)),
            .identity(.code, by: Self.weChat), .answered)
    }

    @Test(
        "an answer without a usable identity is unavailable, and its text is not reported",
        arguments: [
            "", "<html>hunter2</html>", "[]", "null", "{}", #"{"errcode":0,"errmsg":"ok"}"#, #"{"errcode":"hunter2"}"#,
            #"{"errcode":null}"#, String(WeChatAnswer.withProfile.dropLast()),
            String(WeChatAnswer.withProfile.dropLast(40)),
            WeChatAnswer.withProfile.replacing(WeChatAnswer.openID, with: ""),
            WeChatAnswer.withProfile.replacing(WeChatAnswer.openID, with: "a b"),
            WeChatAnswer.withProfile.replacing(WeChatAnswer.openID, with: "é"),
            WeChatAnswer.withProfile.replacing(WeChatAnswer.openID, with: String(repeating: "x", count: 129)),
            WeChatAnswer.withProfile.replacing(#""\#(WeChatAnswer.openID)""#, with: "null"),
            WeChatAnswer.withProfile.replacing("the-token", with: ""),
            WeChatAnswer.withProfile.replacing("access_token", with: "other"),
            WeChatAnswer.withProfile.replacing("scope", with: "openid"),
            WeChatAnswer.withProfileAndUnion.replacing(WeChatAnswer.unionID, with: "a b"),
            WeChatAnswer.withProfileAndUnion.replacing(WeChatAnswer.unionID, with: String(repeating: "x", count: 129)),
            WeChatAnswer.withProfile + String(repeating: " ", count: 65_536),
        ])
    func unreadable(body: String) {
        expect(
            .body(body), .providerUnavailable(Self.weChat),
            .unavailable("/sns/oauth2/access_token: an answer that cannot be read"))
    }

    @Test("an error status is unavailable, whatever the body says", arguments: [201, 301, 400, 403, 429, 500, 503])
    func status(status: Int) {
        for body in [WeChatAnswer.withProfile, WeChatAnswer.error(40029), ""] {
            expect(
                .status(status, body), .providerUnavailable(Self.weChat),
                .unavailable("/sns/oauth2/access_token: status \(status)"))
        }
    }

    @Test("an exchange is not repeated after a timeout")
    func timeout() {
        expect(
            .timeout, .providerUnavailable(Self.weChat),
            .unavailable("/sns/oauth2/access_token: Timeout was reached (curl 28); look at \(HTTPFault.silence)"))
        expect(
            .fault(.tooLarge(limit: 65_536)), .providerUnavailable(Self.weChat),
            .unavailable("/sns/oauth2/access_token: the response is longer than 65536 bytes; look at the other side"))
    }

    @Test(
        "the check tells from the answer to a made-up code whether id and secret are right",
        arguments: [
            (.body(WeChatAnswer.error(40029)), .accepted), (.body(WeChatAnswer.error(40013)), .refused(code: "40013")),
            (.body(WeChatAnswer.error(40125)), .refused(code: "40125")),
            (.body(WeChatAnswer.error(40164)), .refused(code: "40164")),
            (.body(WeChatAnswer.error(-1)), .unclear(code: "-1")), (.body(WeChatAnswer.base), .unclear(code: "0")),
            (.body("{}"), .unclear(code: "0")),
            (.body("<html>"), .unavailable("/sns/oauth2/access_token: an answer that cannot be read")),
            (.status(502, ""), .unavailable("/sns/oauth2/access_token: status 502")),
            (
                .timeout,
                .unavailable("/sns/oauth2/access_token: Timeout was reached (curl 28); look at \(HTTPFault.silence)")
            ),
        ] as [(ScriptedProvider.Answer, ProviderCheck)])
    func check(answer: ScriptedProvider.Answer, result: ProviderCheck) {
        let script = ScriptedProvider([(WeChatAnswer.exchangePath, answer)])
        #expect(script.weChatProvider.check() == result)
        #expect(script.events == ["/sns/oauth2/access_token (1 inside)"])
        #expect(script.requests.first?.query["secret"] == "the-app-secret")
        #expect(script.reports.isEmpty)
        #expect(script.gate.count == 0)
    }
}
