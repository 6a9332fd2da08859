import Curl
import Gatehouse
import IdentityProviders
import POSIX
import Testing

@Suite("Errors of QQ")
struct QQErrorTests {
    private static let qq = ScriptedProvider.qq
    private static let ofCode: [Int64] = [100005, 100017, 100018, 100019, 100020]
    private static let ofToken: [Int64] = [100007, 100013, 100014, 100015, 100016]
    private static let ofOperator: [Int64] = [100001, 100002, 100008, 100009, 100010, 100011, 100031]
    private static let others: [Int64] = [100000, 100004, 100006, 100012, 100021, 100022, 100029, 100030, -1, 1, 99]

    /// The forms in which an error may come.
    private static func forms(_ number: Int64) -> [String] {
        let error = QQAnswer.error(number)
        return [
            error, QQAnswer.callback(error), error.replacing("}", with: ",}"),
            error.replacing("\(number)", with: "\"\(number)\""), "error=\(number)&error_description=x",
        ]
    }

    /// Expects that the exchange of a code ends the login.
    private func expectExchange(
        _ answer: ScriptedProvider.Answer, _ refusal: Refusal, _ report: ProviderReport,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let script = ScriptedProvider([
            (QQAnswer.exchangePath, answer), (QQAnswer.exchangePath, .body(QQAnswer.token)),
            (QQAnswer.userPath, .body(QQAnswer.user)),
        ])
        #expect(script.qqLogin() == .failure(refusal), sourceLocation: sourceLocation)
        #expect(script.reports == [report], sourceLocation: sourceLocation)
        #expect(script.paths == [QQAnswer.exchangePath], sourceLocation: sourceLocation)
        #expect(script.gate.count == 0, sourceLocation: sourceLocation)
    }

    /// Expects that the question for the user ends the login.
    private func expectUser(
        _ answer: ScriptedProvider.Answer, byCode: Bool = false, _ refusal: Refusal, _ report: ProviderReport,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let script = ScriptedProvider([
            (QQAnswer.exchangePath, .body(QQAnswer.token)), (QQAnswer.userPath, answer),
            (QQAnswer.userPath, .body(QQAnswer.user)),
        ])
        let outcome = byCode ? script.qqLogin() : script.qqLogin(IdentityCredential(accessToken: "FE04CCE2"))
        #expect(outcome == .failure(refusal), sourceLocation: sourceLocation)
        #expect(script.reports == [report], sourceLocation: sourceLocation)
        #expect(
            script.paths == (byCode ? [QQAnswer.exchangePath] : []) + [QQAnswer.userPath],
            sourceLocation: sourceLocation)
        #expect(script.gate.count == 0, sourceLocation: sourceLocation)
    }

    @Test("a code that is wrong, used or expired is the client's fault", arguments: ofCode)
    func code(number: Int64) {
        for body in Self.forms(number) { expectExchange(.body(body), .identity(.code, by: Self.qq), .answered) }
    }

    @Test("an access token that is wrong, expired or revoked is the client's fault", arguments: ofToken)
    func accessToken(number: Int64) {
        for body in Self.forms(number) { expectUser(.body(body), .identity(.accessToken, by: Self.qq), .answered) }
    }

    @Test("an access token that QQ has just given for a code is not the client's fault", arguments: ofToken + ofCode)
    func exchangedToken(number: Int64) {
        for body in Self.forms(number) {
            expectUser(
                .body(body), byCode: true, .providerUnavailable(Self.qq),
                .unavailable("/oauth2.0/me: error \(number)"))
        }
    }

    @Test("an error about what was not sent is not the client's fault")
    func notSent() {
        for number in Self.ofToken {
            expectExchange(
                .body(QQAnswer.error(number)), .providerUnavailable(Self.qq),
                .unavailable("/oauth2.0/token: error \(number)"))
        }
        for number in Self.ofCode {
            expectUser(
                .body(QQAnswer.error(number)), .providerUnavailable(Self.qq),
                .unavailable("/oauth2.0/me: error \(number)"))
        }
    }

    @Test("a refused id, key, redirect URI or permission is the operator's fault", arguments: ofOperator)
    func configuration(number: Int64) {
        for body in Self.forms(number) {
            let report = ProviderReport.misconfigured(code: "\(number)")
            expectExchange(.body(body), .providerMisconfigured(Self.qq), report)
            expectUser(.body(body), .providerMisconfigured(Self.qq), report)
            expectUser(.body(body), byCode: true, .providerMisconfigured(Self.qq), report)
        }
    }

    @Test("any other error may pass, and is reported with its number", arguments: others)
    func other(number: Int64) {
        for body in Self.forms(number) {
            let refusal = Refusal.providerUnavailable(Self.qq)
            expectExchange(.body(body), refusal, .unavailable("/oauth2.0/token: error \(number)"))
            expectUser(.body(body), refusal, .unavailable("/oauth2.0/me: error \(number)"))
        }
    }

    @Test("an error counts, even if there is a token or a user beside it")
    func both() {
        expectExchange(
            .body(QQAnswer.token.replacing("{", with: #"{"error":100020,"#)), .identity(.code, by: Self.qq), .answered)
        expectUser(
            .body(QQAnswer.user.replacing("{", with: #"{"error":100016,"#)), .identity(.accessToken, by: Self.qq),
            .answered)
    }

    @Test(
        "an answer to a code without an access token is unavailable",
        arguments: [
            "", "<html>hunter2</html>", "{}", "[]", "callback(", "callback( {} );", "access_token", "access_token=",
            "access_token=FE04CCE2&access_token=FE04CCE3", "access_token=%zz", #"{"access_token":""}"#,
            #"{"access_token":null}"#, #"{"access_token":"FE04"#, #"{"error":"hunter2","access_token":"FE04"}"#,
            QQAnswer.token + QQAnswer.token, String(repeating: "x", count: 65_537),
        ])
    func unreadableToken(body: String) {
        expectExchange(
            .body(body), .providerUnavailable(Self.qq),
            .unavailable("/oauth2.0/token: an answer that cannot be read"))
    }

    @Test(
        "an answer without a client and a usable openid is unavailable",
        arguments: [
            "", "<html>", "{}", "callback( {} );", #"{"client_id":"101234567"}"#,
            #"{"openid":"FF2A0123456789ABCDEF0123456789AB"}"#, String(QQAnswer.user.dropLast()),
            QQAnswer.user.replacing(QQAnswer.openID, with: ""), QQAnswer.user.replacing(QQAnswer.openID, with: "a b"),
            QQAnswer.user.replacing(QQAnswer.openID, with: "é"),
            QQAnswer.user.replacing(QQAnswer.openID, with: String(repeating: "x", count: 129)),
            QQAnswer.user.replacing(QQAnswer.unionID, with: "a b"),
            QQAnswer.user.replacing(#""101234567""#, with: "101234567.5"),
            QQAnswer.user.replacing(#""101234567""#, with: "true"),
            QQAnswer.user.replacing("unionid", with: "client_id"), QQAnswer.user.replacing("unionid", with: "openid"),
        ])
    func unreadableUser(body: String) {
        for byCode in [false, true] {
            expectUser(
                .body(body), byCode: byCode, .providerUnavailable(Self.qq),
                .unavailable("/oauth2.0/me: an answer that cannot be read"))
        }
    }

    @Test("an error status, a timeout and an answer that is too long are unavailable")
    func noAnswer() {
        let answers: [(ScriptedProvider.Answer, String)] = [
            (.status(500, QQAnswer.token), "status 500"), (.status(302, ""), "status 302"),
            (.timeout, "Timeout was reached (curl 28); look at \(HTTPFault.silence)"),
            (.fault(.tooLarge(limit: 65_536)), "the response is longer than 65536 bytes; look at the other side"),
        ]
        for (answer, text) in answers {
            let refusal = Refusal.providerUnavailable(Self.qq)
            expectExchange(answer, refusal, .unavailable("/oauth2.0/token: \(text)"))
            expectUser(answer, refusal, .unavailable("/oauth2.0/me: \(text)"))
            expectUser(answer, byCode: true, refusal, .unavailable("/oauth2.0/me: \(text)"))
        }
    }

    @Test(
        "the check tells from the answer to a made-up code whether id and key are right",
        arguments: [
            (.body(QQAnswer.error(100019)), .accepted), (.body(QQAnswer.callback(QQAnswer.error(100020))), .accepted),
            (.body(QQAnswer.error(100005)), .accepted), (.body(QQAnswer.error(100001)), .refused(code: "100001")),
            (.body(QQAnswer.error(100002)), .refused(code: "100002")),
            (.body(QQAnswer.callback(QQAnswer.error(100008))), .refused(code: "100008")),
            (.body(QQAnswer.error(100009)), .refused(code: "100009")),
            (.body(QQAnswer.error(100010)), .unclear(code: "100010")),
            (.body(QQAnswer.error(100016)), .unclear(code: "100016")),
            (.body(QQAnswer.error(100021)), .unclear(code: "100021")), (.body(QQAnswer.token), .unclear(code: "0")),
            (.body("<html>"), .unavailable("/oauth2.0/token: an answer that cannot be read")),
            (.status(502, ""), .unavailable("/oauth2.0/token: status 502")),
        ] as [(ScriptedProvider.Answer, ProviderCheck)])
    func check(answer: ScriptedProvider.Answer, result: ProviderCheck) {
        let script = ScriptedProvider([(QQAnswer.exchangePath, answer)])
        #expect(script.qqProvider.check() == result)
        #expect(script.events == ["/oauth2.0/token (1 inside)"])
        #expect(script.requests.first?.query["client_secret"] == "the-app-key")
        #expect(script.reports.isEmpty)
        #expect(script.gate.count == 0)
    }
}
