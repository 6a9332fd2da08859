import DevelopmentHTTP
import JOSE
import JSON
import Testing

@testable import StandIn

@Suite("The token endpoint of an OpenID provider")
struct OpenIDTokenEndpointTests {
    private let website: OpenIDWebsite

    init() throws {
        website = try OpenIDWebsite()
    }

    private func code() throws -> String { try #require(try website.page.answer()["code"]) }

    @Test("a code is exchanged for an access token, and an identity token with the nonce and its hash")
    func tokens() throws {
        let json = try website.tokens(try website.page.answer(["name": "Ann Example"])["code"])
        #expect(json.names == ["access_token", "token_type", "expires_in", "scope", "id_token"])
        let claims = try website.providers.verified(json["id_token"], "example").claims()
        #expect(claims["iss"] == .string(website.issuer) && claims["aud"] == .string(website.id))
        #expect(claims["nonce"] == "the-nonce" && claims["at_hash"] != nil)
        #expect(claims["email"] == "ann@example.com" && claims["email_verified"] == true)
        #expect(claims["name"] == "Ann Example")
        let again = try website.tokens(try website.page.answer(to: ["scope": "openid"])["code"])
        let fewer = try website.providers.verified(again["id_token"], "example").claims()
        #expect(fewer["sub"] == claims["sub"] && fewer["email"] == nil && fewer["name"] == nil)
    }

    @Test("the client authenticates in the header or in the body, not in both")
    func authentication() throws {
        let credentials = Base64.encode(Array("\(website.id):\(website.secret)".utf8))
        let basic = ["authorization": "Basic " + credentials]
        let without: [String: String?] = ["client_id": nil, "client_secret": nil]
        let good = without.merging(["code": try code()]) { _, new in new }
        #expect(try website.post(good, fields: basic).status == "200 OK")
        #expect(try website.error(["code": try code()], fields: basic) == "invalid_request")
        #expect(try website.error(without) == "invalid_request")
        for wrong in ["Basic x", "Basic " + Base64.encode(Array("\(website.id):x".utf8)), "Bearer " + credentials] {
            #expect(try website.error(good, fields: ["authorization": wrong], status: 401) == "invalid_client")
        }
        for changes in [["client_id": "x"], ["client_secret": "x"], ["client_secret": nil]] as [[String: String?]] {
            #expect(try website.error(changes, status: 401) == "invalid_client")
        }
    }

    @Test("a code is used once, within ten minutes, with its redirect address and its verifier")
    func rules() throws {
        let code = try code()
        for wrong: [String: String?] in [
            ["redirect_uri": "https://app.example/"], ["redirect_uri": nil], ["code_verifier": nil],
            ["code_verifier": "x"], ["code": "x"],
        ] {
            #expect(try website.error(["code": code].merging(wrong) { _, new in new }) == "invalid_grant")
        }
        _ = try website.tokens(code)
        #expect(try website.error(["code": code]) == "invalid_grant")
        let (early, late) = (try self.code(), try self.code())
        website.providers.advance(by: 599)
        _ = try website.tokens(early)
        website.providers.advance(by: 1)
        #expect(try website.error(["code": late]) == "invalid_grant")
    }

    @Test("a verifier without a challenge is refused")
    func downgrade() throws {
        let without: [String: String?] = ["code_challenge": nil, "code_challenge_method": nil]
        let code = try website.page.answer(to: without)["code"]
        #expect(try website.error(["code": code]) == "invalid_grant")
        #expect(try website.post(["code": code, "code_verifier": nil]).status == "200 OK")
    }

    @Test("Google has a word of its own for another redirect address")
    func mismatch() throws {
        let google = try OpenIDWebsite("google")
        let code = try google.page.answer()["code"]
        #expect(try google.error(["code": code, "redirect_uri": "https://x.example"]) == "redirect_uri_mismatch")
    }

    @Test("a malformed request has its own error")
    func malformed() throws {
        #expect(try website.error(["grant_type": "password"]) == "unsupported_grant_type")
        #expect(try website.error(["grant_type": nil]) == "invalid_request")
        #expect(try website.error([:]) == "invalid_request")
        #expect(try website.error(["code": "x"], fields: ["content-type": "text/plain"]) == "invalid_request")
    }

    @Test("a code belongs to its client")
    func otherClient() throws {
        let code = try code()
        try website.providers.order(
            "/openid/example/clients", ["id": "other", "secret": "s", "redirectURIs": [.string(website.page.callback)]])
        let other: [String: String?] = ["client_id": "other", "client_secret": "s", "code": code]
        #expect(try website.error(other) == "invalid_grant")
        #expect(try website.tokens(code)["id_token"] != nil)
    }
}
