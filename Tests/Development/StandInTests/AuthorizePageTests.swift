import JSON
import TestSupport
import Testing

@testable import DevelopmentHTTP
@testable import StandIn

@Suite("Apple's page for websites")
struct AuthorizePageTests {
    private let website: AppleWebsite

    init() throws {
        website = try AppleWebsite()
    }

    private func text(_ reply: HTTPReply) -> String { String(decoding: reply.body, as: UTF8.self) }

    @Test("the page is a form with the user, and cannot be framed")
    func page() throws {
        let reply = try website.get()
        #expect(reply.status == "200 OK" && reply.contentType == "text/html; charset=utf-8")
        #expect(reply.fields.contains(.init(name: "X-Frame-Options", value: "DENY")))
        for part in [#"<form method="post">"#, #"name="user""#, #"name="name""#, #"name="hide_email""#] {
            #expect(text(reply).contains(part), "\(part)")
        }
        #expect(!text(try website.get(["scope": nil])).contains(#"name="name""#))
    }

    @Test("a revocation lets Apple tell the name again, and a restart does not")
    func consentEnds() throws {
        var standIn = website.standIn
        let code = try website.answer()["code"]
        let token = try #require(try website.exchange(code).json?["refresh_token"]?.string)
        try standIn.restart()
        standIn.apple.developer.services.register(AppleWebsite.id, redirectURIs: [AppleWebsite.callback])
        let body = "user=ann%40example.com&action=continue"
        func again(_ changes: [String: String?] = [:]) -> [String: String] {
            let reply = standIn.reply("POST", website.page(changes), body, type: "application/x-www-form-urlencoded")
            return PageAnswer.parameters(ofPage: String(decoding: reply?.body ?? [], as: UTF8.self))
        }
        #expect(again()["code"] != nil && again()["user"] == nil)
        _ = try standIn.revoke(token, app: AppleWebsite.id)
        #expect(again()["user"] != nil)
        standIn.apple.developer.services.register("com.example.two", redirectURIs: [AppleWebsite.callback])
        #expect(again(["client_id": "com.example.two"])["user"] != nil, "to each client")
    }

    @Test("a user may hide the email, and a client that does not ask for it gets none")
    func email() throws {
        let hidden = try website.standIn.claims(
            of: website.answer(["hide_email": "1"])["id_token"].map(JSONValue.string))
        #expect(hidden["email"]?.string?.hasSuffix("@privaterelay.appleid.com") == true)
        #expect(hidden["is_private_email"] == true)
        let answer = try website.answer(["user": "ben@example.com"], to: ["scope": "name"])
        let claims = try website.standIn.claims(of: answer["id_token"].map(JSONValue.string))
        #expect(claims["email"] == nil && claims["email_verified"] == nil)
        #expect(answer["user"] == #"{"name":{"firstName":"","lastName":""}}"#)
    }

    @Test(
        "without a scope, the answer may come in an address",
        arguments: [
            (nil, "code", "?"), ("query", "code", "?"), ("fragment", "code", "#"), (nil, "code id_token", "#"),
            (nil, "id_token code", "#"), ("fragment", "code id_token", "#"),
        ] as [(String?, String, String)])
    func modes(mode: String?, type: String, sign: String) throws {
        let reply = try website.post(to: ["scope": nil, "response_mode": mode, "response_type": type])
        #expect(reply.status == "303 See Other")
        let address = try #require(reply.fields.first { $0.name == "Location" }?.value)
        #expect(address.hasPrefix(AppleWebsite.callback + sign))
        let answer = PageAnswer.parameters(ofAddress: address)
        #expect(answer["state"] == "the-state" && answer["code"] != nil && answer["user"] == nil)
        #expect((answer["id_token"] != nil) == type.contains("id_token"))
    }

    @Test(
        "a wrong request shows an error, to the user alone",
        arguments: [
            (["client_id": nil], "invalid_client"), (["client_id": "com.example.app"], "invalid_client"),
            (["redirect_uri": nil], "invalid_request"),
            (["redirect_uri": AppleWebsite.callback + "/"], "invalid_request"),
            (["redirect_uri": AppleWebsite.callback + "?x=1"], "invalid_request"),
            (["redirect_uri": "https://evil.example/"], "invalid_request"),
            (["response_type": "id_token"], "unsupported_response_type"),
            (["response_type": nil], "unsupported_response_type"),
            (["response_type": "code code"], "unsupported_response_type"),
            (["response_type": "code token"], "unsupported_response_type"),
            (["response_mode": "query", "scope": nil], "invalid_request"),
            (["response_mode": "query"], "invalid_request"),
            (["response_mode": "web"], "invalid_request"), (["scope": "name phone"], "invalid_scope"),
            (["response_mode": "fragment"], "invalid_request"),
            (["response_mode": nil, "response_type": "code"], "invalid_request"),
        ] as [([String: String?], String)])
    func faults(changes: [String: String?], error: String) throws {
        for reply in [try website.get(changes), try website.post(to: changes)] {
            #expect(reply.status == "400 Bad Request" && reply.contentType.hasPrefix("text/html"))
            #expect(text(reply).contains("<code>\(error)</code>"), "\(text(reply))")
            #expect(!reply.fields.contains { $0.name == "Location" } && !text(reply).contains("evil"))
        }
        #expect(website.standIn.apple.requests.last?.error == error)
    }

    @Test("a parameter that is given twice, or a form of another site or without an action, is refused")
    func forms() throws {
        let twice = website.page() + "&state=x"
        #expect(website.standIn.reply("GET", twice)?.status == "400 Bad Request")
        let form = ["user": "ann@example.com", "action": "continue"]
        for site in ["cross-site", "same-site", "none"] {
            #expect(try website.post(form, fields: ["sec-fetch-site": site]).status == "400 Bad Request")
        }
        #expect(try website.post(form, fields: ["sec-fetch-site": "same-origin"]).status == "200 OK")
        for form in [[:], ["user": "ann"], ["action": "continue"], ["user": "ann", "action": "x"]] {
            #expect(try website.post(form).status == "400 Bad Request")
        }
    }

    @Test("text of the request and of the form is escaped in a page")
    func escaping() throws {
        let text = "\"><script>alert('&')</script>"
        let page = self.text(
            try website.post(["user": text, "name": text, "action": "continue"], to: ["state": text]))
        #expect(PageAnswer.parameters(ofPage: page)["state"] == text)
        #expect(page.matches(of: /<script>/).count == 1 && !page.contains("alert('"))
    }
}
