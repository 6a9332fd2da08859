import Curl
import Gatehouse
import JSON
import Testing

@testable import IdentityProviders

@Suite("The token endpoint of an OpenID provider")
struct TokenEndpointTests {
    private static let name = OpenIDFixture.name

    @Test(
        "id and secret are encoded as in a form before they are joined: RFC 6749, sections 2.3.1 and 4.1.3, appendix B",
        arguments: [
            ("s6BhdRkqt3", "gX1fBat3bV", "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW"),
            // a:b -> a%3Ab, and the bytes of " %&+£€" of appendix B.
            ("a:b", "c", "Basic YSUzQWI6Yw=="),
            ("a", " %&+£€", "Basic YTolMjAlMjUlMjYlMkIlQzIlQTMlRTIlODIlQUM="),
            ("a", "-._~", "Basic YTotLl9+"),
        ])
    func basic(id: String, secret: String, header: String) {
        #expect(TokenEndpoint.basic(id: id, secret: secret) == header)
    }

    static let refusals: [(answer: ScriptedProvider.Answer, refusal: Refusal, report: ProviderReport)] = [
        (.status(400, #"{"error":"invalid_grant"}"#), .identity(.code, by: name), .answered),
        (.status(401, #"{"error":"invalid_grant"}"#), .identity(.code, by: name), .answered),
        (.status(401, #"{"error":"invalid_client"}"#), misconfigured, .misconfigured(code: "invalid_client")),
        (.status(400, #"{"error":"invalid_client"}"#), misconfigured, .misconfigured(code: "invalid_client")),
        (.status(400, #"{"error":"unauthorized_client"}"#), misconfigured, .misconfigured(code: "unauthorized_client")),
        (
            .status(400, #"{"error":"redirect_uri_mismatch"}"#), misconfigured,
            .misconfigured(code: "redirect_uri_mismatch")
        ),
        (.status(401, "<html>"), misconfigured, .misconfigured(code: "status 401")),
        (.status(400, #"{"error":"invalid_request"}"#), unavailable, down("error invalid_request")),
        (.status(400, #"{"error":"Xsecret\n"}"#), unavailable, down("status 400")),
        (.status(400, #"{"error":7}"#), unavailable, down("status 400")),
        (.status(400, ""), unavailable, down("status 400")),
        (.status(400, #"{"error":"invalid_grant","error":"x"}"#), unavailable, down("status 400")),
        (.status(500, #"{"error":"invalid_grant"}"#), unavailable, down("status 500")),
        (.status(302, ""), unavailable, down("status 302")), (.status(201, "{}"), unavailable, down("status 201")),
        (.status(429, ""), unavailable, down("status 429")),
        (.timeout, unavailable, down("Timeout was reached (curl 28); look at \(HTTPFault.silence)")),
        (.body("{}"), unavailable, unreadable),
        (.body("<html>"), unavailable, unreadable), (.body(#"{"id_token":""}"#), unavailable, unreadable),
        (.body(#"{"id_token":7}"#), unavailable, unreadable), (.body(#"["x"]"#), unavailable, unreadable),
    ]

    private static let misconfigured = Refusal.providerMisconfigured(name)
    private static let unavailable = Refusal.providerUnavailable(name)
    private static let unreadable = down("an answer that cannot be read")
    private static func down(_ text: String) -> ProviderReport { .unavailable("the token endpoint: \(text)") }

    @Test("an answer without a grant says who has to do something, and no text of it is reported", arguments: refusals)
    func refused(answer: ScriptedProvider.Answer, refusal: Refusal, report: ProviderReport) {
        let fixture = OpenIDWebFixture([answer])
        #expect(fixture.verify() == .failure(refusal))
        #expect(fixture.script.reports == [report])
        #expect(fixture.script.requests.count == 1, "a code is sent once")
    }

    @Test("the exchange has the time of a login")
    func time() throws {
        let fixture = OpenIDWebFixture([.timeout])
        _ = fixture.verify()
        #expect(try #require(fixture.script.requests.first).timeout <= ProviderCalls.timeLimit)
    }

    static let checks: [(answer: ScriptedProvider.Answer, result: ProviderCheck)] = [
        (.status(400, #"{"error":"invalid_grant"}"#), .accepted),
        (.status(401, #"{"error":"invalid_client"}"#), .refused(code: "invalid_client")),
        (.status(400, #"{"error":"redirect_uri_mismatch"}"#), .refused(code: "redirect_uri_mismatch")),
        (.status(401, ""), .refused(code: "status 401")),
        (.status(400, #"{"error":"invalid_request"}"#), .unclear(code: "invalid_request")),
        (.status(404, ""), .unavailable("the token endpoint: status 404")), (.body("{}"), .unclear(code: "0")),
        (.timeout, .unavailable("the token endpoint: Timeout was reached (curl 28); look at \(HTTPFault.silence)")),
    ]

    @Test("a made-up code shows whether id and secret are right", arguments: checks)
    func check(answer: ScriptedProvider.Answer, result: ProviderCheck) throws {
        let script = ScriptedProvider([(OpenIDWebFixture.tokenPath, answer)])
        let client = WebClient(
            id: "c", secret: "s", pageURL: OpenIDWebFixture.page,
            tokenURL: ScriptedProvider.apiURL + OpenIDWebFixture.tokenPath)
        let check = OpenIDWebCheck(client, of: Self.name, issuer: OpenIDLogin.issuer, calls: script.calls)
        #expect(check.run(callback: WebRequest.callback) == result)
        #expect(try #require(script.requests.first).query["redirect_uri"] == WebRequest.callback)
        #expect(script.reports.isEmpty)
    }
}
