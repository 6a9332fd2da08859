import Gatehouse
import Testing

@testable import GatehouseWeb

/// Which pages may use the session in the browser's cookie.
@Suite("The cookie of a session, and the page that sends it")
struct PageOriginTests {
    private static let policy = WebPolicy(origin: "https://api.example.com", corsOrigins: ["https://app.example.com"])

    private func token(from origin: String?, site: String?, cookie: String = "__Host-gatehouse=t") throws -> String? {
        var fields: [EnvelopeField: String] = [.cookie: cookie]
        (fields[.origin], fields[.fetchSite]) = (origin, site)
        return try Request.stub(fields).sessionCookie(by: Self.policy)
    }

    @Test("Pages of this server and of CORS_ORIGINS may", arguments: [nil, "same-origin", "same-site"])
    func permitted(site: String?) throws {
        #expect(try token(from: "https://api.example.com", site: site) == "t")
        #expect(try token(from: "https://app.example.com", site: "cross-site") == "t")
    }

    @Test(
        "No other page may: also not one without an origin of its own, in a frame or a file",
        arguments: [nil, "same-origin", "same-site", "cross-site", "none"])
    func refused(site: String?) {
        for origin in ["null", "", nil, "https://evil.example", "https://api.example.com.evil.example"] {
            #expect(throws: Refusal.originNotAllowed, "\(origin ?? "none")") { try token(from: origin, site: site) }
        }
    }

    @Test("A page of this server's own origin may not, where the browser says that another site sends the request")
    func crossSite() {
        #expect(throws: Refusal.originNotAllowed) { try token(from: "https://api.example.com", site: "cross-site") }
    }

    @Test("Without an origin in the settings, no page may")
    func unknown() {
        for origin in ["null", "", "https://api.example.com"] {
            let request = Request.stub([.cookie: "__Host-gatehouse=t", .origin: origin])
            #expect(throws: Refusal.originNotAllowed) { try request.sessionCookie(by: WebPolicy()) }
        }
    }

    @Test("The cookie is found among others, and counts only once and with a value")
    func cookies() throws {
        let many = String(repeating: "a=b;", count: 8000)
        for cookie in [
            "a=1; __Host-gatehouse=t; b", "\t__Host-gatehouse=t", many + " __Host-gatehouse=t", ";;__Host-gatehouse=t;",
        ] {
            #expect(try token(from: "https://api.example.com", site: nil, cookie: cookie) == "t")
        }
        for cookie in [
            "", "__Host-gatehouse=", "__Host-gatehouse", "__Host-gatehouse=t;__Host-gatehouse=t", "__host-gatehouse=t",
            "a__Host-gatehouse=t", "__Host-gatehouse-login=t",
        ] {
            #expect(try token(from: "https://api.example.com", site: nil, cookie: cookie) == nil, "\(cookie)")
        }
    }
}
