import Foundation
import GatehouseClient
import Testing

@testable import ServerSupport

@Suite("App: URLs")
struct AppClientURLTests {
    @Test(
        "A URL that cannot be the server's is refused, with what to give instead",
        arguments: [
            ("https://api.example.com/api", "no /api, which the client adds: give https://api.example.com."),
            ("https://api.example.com/login/api/", "give https://api.example.com/login."),
            ("https://api.example.com/api/api//", "give https://api.example.com."),
            ("https://api.example.com/?a=b", "no query: give https://api.example.com."),
            ("https://user:secret@api.example.com", "no user or password: give https://api.example.com."),
            ("https://api.example.com#top", "no fragment: give https://api.example.com."),
            ("localhost:8443", "needs a scheme and a host"), ("ftp://api.example.com", "needs a scheme and a host"),
            ("/relative", "needs a scheme and a host"),
        ])
    func refused(url: String, message: String) throws {
        let fault = try #require(GatehouseClient.fault(in: URL(string: url)!))
        #expect(fault.contains(message) && !fault.contains("secret"), "\(fault)")
    }

    @Test(
        "Any other URL is accepted",
        arguments: [
            "https://api.example.com", "https://api.example.com/", "http://localhost:8443", "https://[::1]:8443",
            "https://example.com/login", "https://example.com/myapi",
        ])
    func accepted(url: String) { #expect(GatehouseClient.fault(in: URL(string: url)!) == nil) }

    @Test("The program stops where a trusted origin has a path")
    func trustedOrigin() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = GatehouseClient(
                URL(string: "https://api.example.com")!, store: MemorySessionStore(),
                trustedOrigins: [URL(string: "https://files.example.com/a")!])
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("give https://files.example.com:443."), "\(text)")
    }

    @Test("The program stops with the message where it makes a client with such a URL")
    func stops() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = GatehouseClient(URL(string: "https://api.example.com/api")!, store: MemorySessionStore())
        }
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(text.contains("give https://api.example.com."), "\(text)")
    }
}
