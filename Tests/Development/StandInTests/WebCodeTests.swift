import DevelopmentHTTP
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("Codes of Apple's page")
struct WebCodeTests {
    private let website: AppleWebsite

    init() throws {
        website = try AppleWebsite()
    }

    @Test("another redirect address, none, or one for an app's code is a mismatch, and leaves the code as it is")
    func redirectURI() throws {
        let code = try website.answer()["code"]
        for wrong in [nil, AppleWebsite.callback + "/", "https://evil.example/"] {
            let answer = try website.exchange(code, redirectURI: wrong)
            #expect(answer.status == "400 Bad Request" && answer.json?["error"] == "invalid_grant")
            #expect(answer.json?["error_description"]?.string?.hasPrefix("redirect_uri mismatch.") == true)
            #expect(website.standIn.apple.requests.last?.reason?.contains("evil") == false)
        }
        #expect(try website.exchange(code).status == "200 OK")
        let ofApp = try website.standIn.code()
        let answer = try website.exchange(ofApp, as: StandInFixture.app)
        #expect(answer.json?["error_description"]?.string?.hasPrefix("redirect_uri mismatch.") == true)
        #expect(try website.standIn.exchange(ofApp).status == "200 OK")
    }

    @Test("faults apply to the page, and no record has a code, a token or a user")
    func records() throws {
        website.standIn.apple.addFault(Fault(.status, path: "/auth/authorize", times: 1))
        #expect(try website.get().status == "500 Ordered")
        let answer = try website.answer(["name": "Ann"])
        _ = try website.exchange(answer["code"])
        let log = website.standIn.logged.joined()
        for secret in [answer["code"], answer["id_token"], "ann@", "the-state", "the-nonce", AppleWebsite.callback] {
            #expect(!log.contains(try #require(secret)))
        }
        #expect(website.standIn.apple.requests.first?.clientID == AppleWebsite.id)
        #expect(website.standIn.apple.requests.first?.fields.contains("state") == true)
    }

    private func order(_ json: String) throws {
        #expect(website.standIn.reply("POST", "/answers", json)?.status == "200 OK")
    }

    @Test("the next answer can have another parameter or an error; an order for a user waits, and can be withdrawn")
    func ofUser() throws {
        try order(#"{"parameters":{"state":"other","user":null}}"#)
        let answer = try website.answer()
        #expect(answer["state"] == "other" && answer["user"] == nil && answer["code"] != nil)
        try order(#"{"parameters":{"error":"server_error"}}"#)
        #expect(try website.answer() == ["state": "the-state", "error": "server_error"])
        try order(#"{"for":"ben@example.com","parameters":{"state":"other"}}"#)
        #expect(try website.answer()["state"] == "the-state")
        #expect(try website.answer(["user": "ben@example.com"])["state"] == "other")
        try order(#"{"parameters":{"state":"other"}}"#)
        #expect(website.standIn.reply("DELETE", "/answers")?.status == "200 OK")
        #expect(try website.answer()["state"] == "the-state")
    }

    @Test("the tokens of a sign-in can have other claims, or be signed by another key")
    func tokens() throws {
        try order(#"{"token":{"claims":{"nonce":"other","aud":"com.example.other","email":null}}}"#)
        let answer = try website.answer()
        let atEndpoint = try website.exchange(answer["code"]).json?["id_token"]
        for token in [answer["id_token"].map(JSONValue.string), atEndpoint] {
            let claims = try website.standIn.claims(of: token)
            #expect(claims["nonce"] == "other" && claims["aud"] == "com.example.other" && claims["email"] == nil)
        }
        try order(#"{"token":{"forged":true}}"#)
        let forged = try website.answer()["id_token"].map(JSONValue.string)
        #expect(throws: (any Error).self) { try website.standIn.claims(of: forged) }
        _ = try website.standIn.claims(of: website.answer()["id_token"].map(JSONValue.string))
    }

    @Test(
        "an order or a Services ID with a wrong member is refused",
        arguments: [
            ("/answers", #"{"parameter":{}}"#), ("/answers", #"{"parameters":{"state":1}}"#),
            ("/answers", #"{"token":{"nonce":"x"}}"#), ("/services", #"{"id":"x"}"#),
            ("/services", #"{"id":"x","redirectURIs":["javascript:alert(1)"]}"#),
            ("/services", #"{"id":"x","redirectURIs":["https://x.example/#a"]}"#),
            ("/services", #"{"id":"x","redirectURIs":[],"secret":"s"}"#),
        ])
    func wrongOrders(path: String, body: String) throws {
        #expect(website.standIn.reply("POST", path, body)?.status == "400 Bad Request")
        #expect(
            website.standIn.reply("POST", path, body, fields: ["origin": "https://evil.example"])?.statusCode == 403)
    }
}
