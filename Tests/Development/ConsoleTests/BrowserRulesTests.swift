import JSON
import Testing

@testable import Console
@testable import DevelopmentHTTP

@Suite("The console and pages of other origins")
struct BrowserRulesTests {
    private let console: ConsoleFixture

    init() throws {
        console = try ConsoleFixture()
    }

    private static let foreignFields: [[String: String]] = [
        ["origin": "https://evil.example"], ["origin": "https://localhost:8444"], ["origin": "http://localhost:8443"],
        ["origin": "null"], ["origin": "https://localhost:8443.evil.example"],
        ["sec-fetch-site": "cross-site"], ["sec-fetch-site": "same-site"],
        ["sec-fetch-site": "cross-site", "origin": "https://localhost:8443"],
    ]

    @Test(
        "A page of another origin drives nothing and reads nothing",
        arguments: foreignFields,
        [
            "POST faults", "DELETE faults", "GET faults", "POST verify", "GET settings", "GET log/0-0-0-0",
            "POST apple/mint", "GET apple/faults", "GET providers", "POST apple/openid/google/mint", "GET apple/inbox",
            "DELETE apple/inbox", "POST hop",
        ])
    func foreign(fields: [String: String], request: String) throws {
        let words = request.split(separator: " ").map(String.init)
        let reply = try #require(
            console.reply(words[0], "/console/" + words[1], fields, body: #"{"fault":"lost"}"#))
        #expect(reply.status == "403 Forbidden")
        #expect(console.reply("GET", "/console/faults")?.json?["faults"] == [])
    }

    @Test(
        "The console's page, and a program without a page, are answered",
        arguments: [
            [:], ["origin": "https://localhost:8443"], ["origin": "https://LOCALHOST:8443"],
            ["sec-fetch-site": "same-origin"], ["sec-fetch-site": "same-origin", "origin": "https://localhost:8443"],
        ])
    func own(fields: [String: String]) throws {
        let reply = try #require(
            console.reply("POST", "/console/faults", fields, body: #"{"fault":"lost"}"#))
        #expect(reply.status == "200 OK")
    }

    @Test("An address that the user has typed may read, and changes nothing")
    func typed() throws {
        #expect(console.reply("GET", "/console/settings", ["sec-fetch-site": "none"])?.status == "200 OK")
        #expect(console.reply("DELETE", "/console/faults", ["sec-fetch-site": "none"])?.status == "403 Forbidden")
    }

    @Test("Any site may link to the page", arguments: ["/console/", "/console/main.js", "/console/style.css"])
    func links(path: String) throws {
        #expect(console.reply("GET", path, ["sec-fetch-site": "cross-site"])?.status == "200 OK")
    }

    @Test(
        "Every answer to a browser has the same headers, and none permits another origin",
        arguments: ["GET /console/", "GET /console/settings", "POST /console/faults", "GET /console/unknown"])
    func headers(request: String) throws {
        let words = request.split(separator: " ").map(String.init)
        let fields = try #require(console.reply(words[0], words[1])).fields
        #expect(fields.contains(.init(name: "Content-Security-Policy", value: "default-src 'self'")))
        #expect(fields.contains(.init(name: "X-Content-Type-Options", value: "nosniff")))
        #expect(fields.contains(.init(name: "Cache-Control", value: "no-store")))
        #expect(!fields.contains { $0.name.lowercased().hasPrefix("access-control") })
    }
}
