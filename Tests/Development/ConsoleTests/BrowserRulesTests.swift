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

    @Test(
        "A page of another origin drives nothing and reads nothing",
        arguments: [
            "POST faults", "DELETE faults", "GET faults", "POST verify", "POST verify-proof", "GET settings",
            "GET log/0-0-0-0", "POST apple/mint", "GET apple/faults", "GET providers", "POST apple/openid/google/mint",
            "GET apple/inbox", "DELETE apple/inbox", "POST hop",
        ])
    func foreign(request: String) throws {
        let words = request.split(separator: " ").map(String.init)
        for fields in [["origin": "http://localhost:8443"], ["sec-fetch-site": "cross-site"]] {
            let reply = try #require(
                console.reply(words[0], "/console/" + words[1], fields, body: #"{"fault":"lost"}"#))
            #expect(reply.status == "403 Forbidden", "\(fields)")
        }
        #expect(console.reply("GET", "/console/faults")?.json?["faults"] == [])
    }

    @Test("The console's page, and a program without a page, are answered")
    func own() throws {
        for fields in [[:], ["origin": "https://localhost:8443"]] as [[String: String]] {
            let reply = try #require(
                console.reply("POST", "/console/faults", fields, body: #"{"fault":"lost"}"#))
            #expect(reply.status == "200 OK")
        }
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
