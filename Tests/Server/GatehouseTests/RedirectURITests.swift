import Gatehouse
import Testing

@Suite("Addresses at which a sign-in ends")
struct RedirectURITests {
    private static let addresses = [
        "https://app.example.com/signed-in", "https://app.example.com", "https://app.example.com:8443/a?b=c",
        "https://[2001:db8::1]/", "com.example.app:/signed-in", "com.example.app://signed-in",
        "http://127.0.0.1/signed-in", "http://[::1]:8080/",
    ]

    private static let faults: [(String, RedirectURI.Fault)] = [
        ("", .notAnAddress), ("/signed-in", .notAnAddress), ("//app.example.com/", .notAnAddress),
        ("https:", .notAnAddress), ("https://", .notAnAddress), ("https:/app.example.com", .notAnAddress),
        ("https://app.example.com:port/", .notAnAddress), ("https://app.example.com:/", .notAnAddress),
        ("https://app.example.com/ a", .notAnAddress), ("https://app.example.com/\u{E9}", .notAnAddress),
        ("https://app.example.com\\@evil.example/", .notAnAddress), ("HTTPS://app.example.com/", .notAnAddress),
        ("https://app.example.com/\r\nX: y", .notAnAddress), ("https://[2001:db8::1/", .notAnAddress),
        ("https://app.example.com/#part", .hasFragment), ("https://*.example.com/", .hasWildcard),
        ("https://user@app.example.com/", .hasUserInformation),
        ("https://app.example.com:1@evil.example/", .hasUserInformation),
        ("myapp:/signed-in", .schemeWithoutDot), ("javascript:alert(1)", .forbiddenScheme),
        ("data:text/html,x", .forbiddenScheme), ("file:///etc/passwd", .forbiddenScheme),
        ("intent://scan/", .forbiddenScheme), ("com.example.app:", .notAnAddress),
        ("http://app.example.com/", .plainHTTP), ("http://localhost:5173/", .plainHTTP),
        ("http://127.0.0.1.evil.example/", .plainHTTP), ("http://127.0.0.2/", .plainHTTP),
    ]

    @Test("Pages, app links, schemes of apps and loopback addresses are accepted", arguments: addresses)
    func accepted(_ text: String) throws {
        #expect(try RedirectURI(text).text == text)
    }

    @Test("An address that a browser could read in another way is refused, and the fault says why", arguments: faults)
    func refused(_ text: String, _ fault: RedirectURI.Fault) {
        #expect(throws: fault) { try RedirectURI(text) }
    }

    @Test("In development a page may be on localhost, at exactly its port")
    func localhost() throws {
        let address = try RedirectURI("http://localhost:5173/a", permitsLocalhost: true)
        let policy = WebPolicy(redirectURIs: [address])
        #expect(policy.permits(redirectURI: "http://localhost:5173/a"))
        #expect(!policy.permits(redirectURI: "http://localhost:5174/a"))
        #expect(throws: RedirectURI.Fault.plainHTTP) {
            try RedirectURI("http://localhost/a", permitsLocalhost: true)
        }
    }

    @Test(
        "An address is compared byte for byte",
        arguments: [
            "https://app.example.com/signed-in/", "https://app.example.com/signed-in?a=b",
            "https://app.example.com/signed-in#", "https://app.example.com//signed-in",
            "https://app.example.com/signed-in/../other", "https://app.example.com:443/signed-in",
            "https://APP.example.com/signed-in", "https://app.example.com.evil.example/signed-in",
            "https://app.example.com@evil.example/signed-in", "https://app.example.com/signed%2Din",
            "http://app.example.com/signed-in", "https://app.example.com/signed-in\u{301}", "",
        ])
    func exact(_ other: String) throws {
        let policy = WebPolicy(redirectURIs: [try RedirectURI("https://app.example.com/signed-in")])
        #expect(policy.permits(redirectURI: "https://app.example.com/signed-in"))
        #expect(!policy.permits(redirectURI: other))
    }

    @Test(
        "A program on the user's computer chooses the port of its loopback address (RFC 8252, section 7.3)",
        arguments: [
            ("http://127.0.0.1/done", true), ("http://127.0.0.1:49152/done", true), ("http://127.0.0.1:1/done", true),
            ("http://127.0.0.1:/done", false), ("http://127.0.0.1:123456/done", false),
            ("http://127.0.0.1:80@evil.example/done", false), ("http://127.0.0.1.evil.example/done", false),
            ("http://127.0.0.1:80/other/done", false), ("http://127.0.0.1:80/done/", false),
            ("http://localhost:80/done", false), ("http://[::1]:80/done", false), ("https://127.0.0.1:80/done", false),
        ])
    func loopback(_ other: String, _ isPermitted: Bool) throws {
        let policy = WebPolicy(redirectURIs: [try RedirectURI("http://127.0.0.1:8080/done")])
        #expect(policy.permits(redirectURI: other) == isPermitted)
    }
}
