import DevelopmentHTTP
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("The page of an OpenID provider")
struct OpenIDPageTests {
    private let website: OpenIDWebsite

    init() throws {
        website = try OpenIDWebsite()
    }

    @Test("a user who cancels is an error, as is a request that a client must be told of")
    func errors() throws {
        let cancelled = try website.page.answer(["action": "cancel"])
        #expect(cancelled["error"] == "access_denied" && cancelled["state"] == "the-state")
        #expect(cancelled["iss"] == website.issuer && cancelled["code"] == nil)
        let cases: [([String: String?], String)] = [
            (["response_type": "id_token"], "unsupported_response_type"), (["scope": "email"], "invalid_scope"),
            (["scope": nil], "invalid_scope"), (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"), (["code_challenge": "x"], "invalid_request"),
            (["code_challenge": nil], "invalid_request"), (["response_mode": "web"], "invalid_request"),
            (["prompt": "none"], "login_required"),
        ]
        for (changes, error) in cases {
            let answer = try website.page.answer(in: website.providers.get(website.page.page(changes)))
            #expect(answer["error"] == error && answer["state"] == "the-state", "\(changes)")
        }
    }

    @Test("Google shows such a fault to the user")
    func googleFaults() throws {
        let google = try OpenIDWebsite("google")
        let target = google.page.page(["scope": nil])
        try google.page.expectFault(google.providers.reply("GET", target), "invalid_scope")
    }

    @Test(
        "an unknown client or address shows an error, to the user alone",
        arguments: [
            (["client_id": "x"], "invalid_client"), (["client_id": nil], "invalid_client"),
            (["redirect_uri": nil], "redirect_uri_mismatch"),
            (["redirect_uri": "https://app.example/"], "redirect_uri_mismatch"),
        ] as [([String: String?], String)])
    func faults(changes: [String: String?], error: String) throws {
        try website.page.expectFault(website.providers.reply("GET", website.page.page(changes)), error)
        try website.page.expectFault(website.page.post(to: changes), error)
    }

    @Test("the answer may be posted")
    func formPost() throws {
        let page = String(decoding: try website.page.post(to: ["response_mode": "form_post"]).body, as: UTF8.self)
        #expect(PageAnswer.action(ofPage: page) == website.page.callback)
        #expect(PageAnswer.parameters(ofPage: page)["iss"] == website.issuer)
    }

    @Test("faults apply to the page and to the token endpoint, which are counted")
    func faultsOfEndpoints() throws {
        try website.providers.order("/openid/example/keys/faults", ["authorize": "status", "token": "close"])
        #expect(try website.page.post().status == "500 Ordered")
        #expect(website.providers.reply("POST", "/openid/example/token") == nil)
        _ = try website.providers.service.control("/openid/example/keys/faults", method: "DELETE")
        #expect(try website.page.answer()["code"] != nil)
        let counts = try website.providers.json("/openid/example/requests")
        #expect(counts["authorize"] == 2 && counts["token"] == 1)
    }

    @Test("no line of the log has a code, a token or a user")
    func log() throws {
        let answer = try website.page.answer()
        let json = try website.tokens(answer["code"])
        let log = website.providers.logged.joined()
        let secrets = [
            answer["code"], json["access_token"]?.string, json["id_token"]?.string, "ann@", "the-state", "the-nonce",
            OpenIDWebsite.verifier, website.page.callback,
        ]
        for secret in secrets { #expect(!log.contains(try #require(secret))) }
        #expect(log.contains("code_challenge_method") && log.contains("code_verifier"))
    }
}
