import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Apple's login on the web")
struct AppleWebTests {
    private let fixture: WebSignInFixture

    init() throws {
        fixture = try WebSignInFixture()
    }

    private func code(in answer: TestResponse) -> String? {
        TestBrowser.arrival(at: answer.header("location") ?? "").parameters["code"]
    }

    /// Lets the outbox perform its tasks.
    private func runTasks() throws {
        let server = try #require(fixture.inProcess)
        for _ in 0..<3 { try server.runAppleTasks() }
    }

    @Test("Apple posts a form from its own site, and the app gets a code; the name comes once and becomes the nickname")
    func form() throws {
        let browser = fixture.browser()
        let page = try browser.start("apple").header("location") ?? ""
        let asked = TestBrowser.arrival(at: page).parameters
        #expect(asked["response_mode"] == "form_post" && asked["response_type"] == "code id_token")
        #expect(asked["scope"] == "name email" && asked["client_id"] == "com.example.web")
        let arrival = try browser.choose("ann@example.com", at: page, ["name": "Ann Example"])
        #expect(Set(arrival.parameters.keys) == ["code", "id_token", "state", "user"])
        let login = try fixture.exchange(#require(code(in: browser.callBack(arrival))))
        let user = login["user"]?.object
        #expect(user?["nickname"] == "Ann Example" && user?["email"] == "ann@example.com")
        #expect(user?["emailVerified"] == true)
        let again = try browser.arrive("apple", as: "ann@example.com")
        #expect(again.parameters["user"] == nil)
        let second = try fixture.exchange(#require(code(in: browser.callBack(again))))
        #expect(second.userID == login.userID && second["user"]?.object?["nickname"] == "Ann Example")
    }

    @Test("The code is exchanged with its redirect address, and the token revoked when the account is deleted")
    func exchangeAndRevocation() throws {
        let login = try fixture.logIn("apple", as: "ann@example.com")
        try runTasks()
        let requests = fixture.apple.service.requests.filter { $0.path == "/auth/token" }
        #expect(requests.map(\.status) == [200], "\(requests)")
        #expect(requests.first?.fields.contains("redirect_uri") == true)
        #expect(fixture.apple.service.authorisations.map(\.clientID) == ["com.example.web"])
        let deleted = try fixture.server.delete("/api/users/me", login)
        #expect(deleted.status == 204 && deleted.header("x-apple-revocation") == "queued")
        try runTasks()
        #expect(fixture.apple.service.authorisations.isEmpty)
    }

    @Test("A user of the app is the same user on the web, and the app's token is none for the browser")
    func sameUser() throws {
        let minted = fixture.apple.login("001234.same.0930")
        let app = try fixture.server.send(.post("/api/auth/apple", minted))
        #expect(app.status == 200, "\(app.json)")
        let browser = fixture.browser()
        let page = try browser.start("apple").header("location") ?? ""
        let arrival = try browser.choose("any", at: page, ["sub": "001234.same.0930"])
        #expect(try fixture.exchange(#require(code(in: browser.callBack(arrival)))).userID == app.userID)
        var forged = try browser.arrive("apple", as: "any")
        var fields = forged.parameters
        fields["id_token"] = minted["identityToken"]?.string
        forged.form = TestBrowser.form(fields)
        #expect(
            TestBrowser.arrival(at: try browser.callBack(forged).header("location") ?? "").parameters["error"]
                == "invalid_identity")
    }
}
