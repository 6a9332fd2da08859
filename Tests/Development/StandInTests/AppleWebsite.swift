import DevelopmentHTTP
import JSON
import TestSupport
import Testing
import Text

@testable import StandIn

/// A website with a Services ID, and the user's browser at Apple's page.
struct AppleWebsite {
    static let id = "com.example.web"
    static let callback = "https://app.example/api/auth/apple/callback"

    let standIn: StandInFixture

    init() throws {
        standIn = try StandInFixture()
        standIn.apple.developer.services.register(Self.id, redirectURIs: [Self.callback])
    }

    /// The address of the page: the usual one, with other parameters. Nil removes one.
    func page(_ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String?] = [
            "client_id": Self.id, "redirect_uri": Self.callback, "response_type": "code id_token",
            "response_mode": "form_post", "scope": "name email", "state": "the-state", "nonce": "the-nonce",
        ]
        for (name, value) in changes { parameters[name] = value }
        return Apple.pagePath + "?"
            + FormFields.text(of: parameters.compactMap { name, value in value.map { (name, $0) } })
    }

    func get(_ changes: [String: String?] = [:]) throws -> HTTPReply {
        try #require(standIn.reply("GET", page(changes)))
    }

    /// Posts the form of the page.
    func post(
        _ form: [String: String] = ["user": "ann@example.com", "action": "continue"],
        to changes: [String: String?] = [:],
        fields: [String: String] = [:]
    ) throws -> HTTPReply {
        try #require(
            standIn.reply(
                "POST", page(changes), FormFields.text(of: form.map { ($0.key, $0.value) }),
                type: "application/x-www-form-urlencoded", fields: fields))
    }

    /// What the browser posts to the website.
    func answer(
        _ form: [String: String] = [:], to changes: [String: String?] = [:]
    ) throws -> [String: String] {
        let form = ["user": "ann@example.com", "action": "continue"].merging(form) { _, new in new }
        return PageAnswer.parameters(ofPage: String(decoding: try post(form, to: changes).body, as: UTF8.self))
    }

    func exchange(
        _ code: String?, redirectURI: String? = Self.callback, as id: String = Self.id
    ) throws -> (status: String, json: JSONObject?, body: [UInt8]) {
        try standIn.post(
            "/auth/token",
            [
                "client_id": id, "client_secret": try standIn.secret(for: id), "grant_type": "authorization_code",
                "code": code, "redirect_uri": redirectURI.map(PercentEncoding.encode),
            ])
    }
}
