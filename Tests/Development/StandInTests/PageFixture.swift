import DevelopmentHTTP
import JSON
import TestSupport
import Testing

@testable import StandIn

/// A website at the page of a provider.
struct PageFixture {
    let providers: StandInFixture
    let path: String
    let parameters: [String: String]

    var callback: String { parameters["redirect_uri"] ?? "" }

    /// The address of the page, with other parameters; nil removes one.
    func page(_ changes: [String: String?] = [:]) -> String {
        var parameters: [String: String?] = parameters
        for (name, value) in changes { parameters[name] = value }
        return path + "?" + FormFields.text(of: parameters.compactMap { name, value in value.map { (name, $0) } })
    }

    /// Posts the form of the page.
    func post(
        _ form: [String: String] = [:], to changes: [String: String?] = [:], fields: [String: String] = [:]
    ) throws -> HTTPReply {
        let form = ["user": "ann@example.com", "action": "continue"].merging(form) { _, new in new }
        return try #require(
            providers.reply(
                "POST", page(changes), FormFields.text(of: form.map { ($0.key, $0.value) }),
                fields: ["content-type": "application/x-www-form-urlencoded"].merging(fields) { _, new in new }))
    }

    /// The parameters that the browser brings to the website.
    func answer(
        _ form: [String: String] = [:], to changes: [String: String?] = [:]
    ) throws -> [String: String] {
        try answer(in: post(form, to: changes))
    }

    func answer(in reply: HTTPReply) throws -> [String: String] {
        #expect(reply.status == "303 See Other")
        let address = try #require(reply.fields.first { $0.name == "Location" }?.value)
        #expect(address.hasPrefix(callback + "?"))
        return PageAnswer.parameters(ofAddress: address)
    }

    func expectFault(_ reply: HTTPReply?, _ error: String) throws {
        let reply = try #require(reply)
        #expect(reply.status == "400 Bad Request" && reply.contentType.hasPrefix("text/html"))
        let text = String(decoding: reply.body, as: UTF8.self)
        #expect(text.contains("<code>\(error)</code>"), "\(text)")
        #expect(!reply.fields.contains { $0.name == "Location" })
    }
}
