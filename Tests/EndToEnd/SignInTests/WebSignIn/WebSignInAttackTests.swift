import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// Attacks beside those on the callback, and faults that an attacker or a wrong clock could use.
@Suite("Attacks on signing in through a browser")
struct WebSignInAttackTests {
    private let fixture: WebSignInFixture

    init() throws {
        fixture = try WebSignInFixture { $0["CORS_ORIGINS"] = "https://app.example.com" }
    }

    /// A page's request, with what browsers add.
    private func post(_ path: String, _ body: JSONObject? = nil, bearer: String? = nil) -> TestRequest {
        var request = body.map { TestRequest.post(path, $0, bearer: bearer) } ?? .post(path, bearer: bearer)
        request.headers += [("Origin", WebSignInFixture.origin), ("Sec-Fetch-Site", "same-origin")]
        return request
    }

    /// PostgreSQL cannot store a NUL. An anonymous request must not look like a broken database, because a load balancer sends
    /// nothing to a node that is not ready.
    @Test(
        "A state with a NUL is a fault of the request, on every database, and says nothing about the store",
        arguments: ["%00", "a%00b"])
    func zeroByte(_ state: String) throws {
        let server = try #require(fixture.inProcess)
        server.renewKeys()
        try #require(server.isReady)
        var flow = AppFlow()
        flow.state = nil
        flow.more = "&state=\(state)"
        let answer = try fixture.browser().start("google", flow)
        #expect(TestBrowser.arrival(at: answer.header("location") ?? "").parameters["error"] == "invalid_request")
        #expect(server.isReady, "an anonymous request has made this node unready")
        #expect(!server.log.contains("zero byte"))
    }

    /// Encoded, each of these bytes is three in `Location`. nginx reads 16 KB of headers; with more it answers 502, and counts the
    /// node as failed.
    @Test("A state that is too long is not sent back, whatever else is wrong with the request")
    func longState() throws {
        let fixture = try WebSignInFixture(.nginx)
        var flow = AppFlow()
        flow.state = nil
        flow.more = "&response_type=token&state=" + String(repeating: ":", count: 7000)
        let answer = try fixture.browser().start("google", flow)
        #expect(answer.status == 303)
        #expect(TestBrowser.arrival(at: answer.header("location") ?? "").parameters["state"] == nil)
    }

    @Test("A redirect address that the operator has removed gets no code, also of a sign-in that began before")
    func removedAddress() throws {
        let server = try #require(fixture.inProcess)
        let browser = fixture.browser()
        let arrival = try browser.arrive(as: "ann@example.com")
        try server.restart { $0["REDIRECT_URIS"] = "com.example.app:/signed-in" }
        let answer = try browser.callBack(arrival)
        #expect(answer.header("location") == nil, "the browser is sent to \(WebSignInFixture.page)")
        #expect(answer.code == "invalid_redirect_uri")
        #expect(try server.testDatabase.number("SELECT count(*) FROM authorization_codes") == 0)
    }

    /// Maintenance examines the oldest 500 rows of a table, so rows that never expire hide all later ones.
    @Test("Sign-ins and codes that a wrong clock has dated into the future do not keep later ones for ever")
    func wrongClock() throws {
        let server = try #require(fixture.inProcess)
        let database = server.testDatabase
        func count(_ condition: String = "TRUE") throws -> Int64 {
            try database.number("SELECT count(*) FROM authorization_requests WHERE \(condition)")
        }
        func maintain() throws { for _ in 0..<40 { try server.runMaintenance() } }
        _ = try fixture.browser().start("google")
        server.advanceClock(by: .seconds(1200))
        try maintain()
        try #require(try count() == 0, "an expired sign-in is deleted")

        server.setClock(aheadBy: .seconds(365 * 86400))
        for _ in 0..<500 { _ = try fixture.browser().start("google") }
        server.setClock(aheadBy: .zero)
        let last = try database.number("SELECT max(id) FROM authorization_requests")
        for _ in 0..<5 { _ = try fixture.browser().start("google") }
        server.advanceClock(by: .seconds(1200))
        try maintain()
        #expect(try count("id > \(last)") == 0, "the table grows until the wrong time has come")
    }

    /// The answer of a join is a login as the other user, and the session in the page's cookie has ended by then.
    @Test("A page whose new user joins the owner of a number keeps its refresh token in the cookie, out of the body")
    func join() throws {
        let codes = try CodeFixture { $0["PUBLIC_URL"] = WebSignInFixture.origin }
        let number = codes.newNumber()
        let owner = try codes.logIn(phone: number)
        // The next code for the same number has to wait.
        (codes.server as? InProcessServer)?.advanceClock(by: .seconds(120))
        let mail = try codes.code("new@example.com", channel: "email")
        let page = TestBrowser(codes.server)
        let own = post("/api/auth/codes/\(mail.id)", ["code": .string(mail.text), "session": "cookie"])
        var foreign = own
        foreign.headers = own.headers.map { $0.0 == "Origin" ? ($0.0, "https://evil.example") : $0 }
        #expect(try codes.server.send(foreign).code == "origin_not_allowed", "a login may not be forged")
        let login = try page.send(own)
        try #require(login.status == 200 && login["refreshToken"] == .null)
        let code = try codes.code(number)
        let body: JSONObject = [
            "codeId": .string(code.id), "code": .string(code.text), "onTaken": "join", "session": "cookie",
        ]
        let joined = try page.send(post("/api/users/me/accounts/phone", body, bearer: login.accessToken))
        try #require(joined.status == 200 && joined.userID == owner.userID)
        #expect(joined["refreshToken"] == .null, "scripts can read it")
        #expect(try page.send(post("/api/auth/refresh")).status == 200, "the page is signed out at its next refresh")
    }
}
