import TestSupport
import Testing

@testable import ServerSupport

/// `__Host-gatehouse` is the refresh token of a page's session: a service behind the guard could take the session over.
@Suite("Cookies at guarded locations")
struct GuardCookieTests {
    private let fixture: GuardFixture

    init() throws { fixture = try GuardFixture.shared.get() }

    /// What arrived under the name Cookie.
    private func arrived(
        _ cookies: [String], _ options: [String] = [], at path: String = "/notes/cookies"
    ) throws -> [String] {
        var request = TestRequest.get(path, bearer: try fixture.token(of: "cookies@example.com"))
        request.headers += cookies.map { ("Cookie", $0) }
        let response = try fixture.server.send(request, options: options)
        #expect(response.status == 200)
        return try #require(UpstreamRequest(whole: response.body)).values(of: "Cookie")
    }

    @Test(
        "A service gets its own cookies, and not those of Gatehouse",
        arguments: [
            ("a=1", "a=1"), ("a=1; b=2", "a=1; b=2"),
            ("__Host-gatehouse=t", nil), ("__Host-gatehouse-login=u", nil), ("__Host-gatehouse=", nil),
            ("__Host-gatehouse=t; a=1", "a=1"), ("a=1; __Host-gatehouse=t", "a=1"),
            ("a=1; __Host-gatehouse=t; b=2", "a=1; b=2"),
            ("a=1; __Host-gatehouse-login=u; b=2", "a=1; b=2"),
            ("__Host-gatehouse=t; __Host-gatehouse-login=u", nil),
            ("__Host-gatehouse-login=u; __Host-gatehouse=t; a=1", "a=1"),
            ("__Host-gatehouse=t; a=1; __Host-gatehouse-login=u", "a=1"),
            ("a=1; __Host-gatehouse=t; __Host-gatehouse-login=u; b=2", "a=1; b=2"),
            ("a=1; __Host-gatehouse-login=u; b=2; __Host-gatehouse=t; c=3", "a=1; b=2; c=3"),
            ("a=1;__Host-gatehouse=t;b=2", "a=1;b=2"), (" __Host-gatehouse = t ; a=1", "a=1"),
            // Other cookies with a similar name or value.
            ("__Host-gatehouse-theme=dark; a=1", "__Host-gatehouse-theme=dark; a=1"),
            ("x__Host-gatehouse=1", "x__Host-gatehouse=1"), ("__host-gatehouse=1", "__host-gatehouse=1"),
            ("a=__Host-gatehouse=1", "a=__Host-gatehouse=1"), ("__Host-gatehouse", "__Host-gatehouse"),
            // No browser sends it three times.
            ("__Host-gatehouse=1; __Host-gatehouse=2; a=1; __Host-gatehouse=3", nil),
        ] as [(String, String?)])
    func removed(_ sent: String, _ expected: String?) throws {
        #expect(try arrived([sent], ["--http1.1"]) == (expected.map { [$0] } ?? []))
    }

    @Test("A service without the guard on the API's server does not get them, either")
    func unguarded() throws {
        #expect(try arrived(["a=1; __Host-gatehouse=t; b=2"], at: "/unguarded/cookies") == ["a=1; b=2"])
        #expect(try arrived(["__Host-gatehouse=t"], at: "/unguarded/cookies") == [])
    }

    @Test("The same with several Cookie fields, as HTTP/2 permits", arguments: ["--http1.1", "--http2"])
    func severalFields(_ version: String) throws {
        let fields = ["a=1", "__Host-gatehouse=t", "b=2", "__Host-gatehouse-login=u"]
        #expect(try arrived(fields, [version]) == ["a=1; b=2"])
    }

    @Test("A long header without those cookies arrives unchanged", arguments: ["; ", ";", " ", "a=1; "])
    func long(_ piece: String) throws {
        let long = "b=" + String(repeating: piece, count: 7000 / piece.utf8.count) + "c=3"
        #expect(try arrived([long], ["--http1.1"]) == [long])
        #expect(try arrived([long + ";  __Host-gatehouse=t"], ["--http1.1"]) == [long])
    }
}
