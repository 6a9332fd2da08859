import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

/// A website app of an OpenID provider, which exchanges codes.
struct OpenIDWebsite {
    static let verifier = "a-code-verifier-of-at-least-forty-three-letters"

    let name: String
    let providers: StandInFixture
    let page: PageFixture
    let id: String
    let secret: String

    init(_ name: String = "example") throws {
        self.name = name
        providers = try StandInFixture()
        let callback = "https://app.example/api/auth/\(name)/callback"
        let client = name == "google" ? Google.usualClient : OpenIDProvider.usualClient
        (id, secret) = (client.id, client.secret)
        try providers.service.register(redirectURI: callback, at: name)
        page = PageFixture(
            providers: providers, path: "/openid/\(name)/authorize",
            parameters: [
                "client_id": id, "redirect_uri": callback, "response_type": "code", "scope": "openid email profile",
                "state": "the-state", "nonce": "the-nonce", "code_challenge_method": "S256",
                "code_challenge": Base64URL.encode(Array(SHA256.hash(Array(Self.verifier.utf8)))),
            ])
    }

    var issuer: String { "\(StandInFixture.base)/openid/\(name)" }

    /// Posts to the token endpoint; nil leaves a field out.
    func post(_ changes: [String: String?], fields: [String: String] = [:]) throws -> HTTPReply {
        var form: [String: String?] = [
            "grant_type": "authorization_code", "client_id": id, "client_secret": secret, "redirect_uri": page.callback,
            "code_verifier": Self.verifier,
        ]
        for (name, value) in changes { form[name] = value }
        let body = FormFields.text(of: form.compactMap { name, value in value.map { (name, $0) } })
        return try #require(
            providers.reply(
                "POST", "/openid/\(name)/token", body,
                fields: ["content-type": "application/x-www-form-urlencoded"].merging(fields) { _, new in new }))
    }

    func tokens(_ code: String?) throws -> JSONObject {
        let reply = try post(["code": code])
        #expect(reply.status == "200 OK")
        return try #require(try JSONValue(parsing: reply.body).object)
    }

    /// The error of an answer.
    func error(_ changes: [String: String?], fields: [String: String] = [:], status: Int = 400) throws -> String? {
        let reply = try post(changes, fields: fields)
        #expect(reply.statusCode == status)
        return try JSONValue(parsing: reply.body).object?["error"]?.string
    }
}
