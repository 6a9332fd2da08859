import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Linking Apple to an account")
struct LinkedAccountTests {
    private let fixture: AppleDeveloperFixture

    init() throws {
        fixture = try AppleDeveloperFixture()
    }

    private func link(_ body: JSONObject, to login: TestResponse) throws -> TestResponse {
        try fixture.server.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
    }

    private func link(_ subject: String, to login: TestResponse) throws -> TestResponse {
        try link(fixture.apple.login(subject), to: login)
    }

    private func unlink(_ login: TestResponse) throws -> TestResponse {
        try fixture.server.delete("/api/users/me/accounts/apple", login)
    }

    private func providers(_ response: TestResponse) -> [String] {
        response["accounts"]?.array?.compactMap { $0.object?["provider"]?.string } ?? []
    }

    @Test("A linked Apple account logs in as the same user")
    func linked() throws {
        let login = try fixture.server.devLogin("dev@example.com")
        let response = try link("ann", to: login)
        #expect(response.status == 200)
        #expect(providers(response) == ["DEV", "APPLE"])
        let listed = try fixture.server.send(.get("/api/users/me/accounts", bearer: login.accessToken))
        #expect(listed.json == response.json)
        let accounts = listed["accounts"]?.array?.compactMap(\.object) ?? []
        for account in accounts {
            for name in ["provider", "email", "isPrivateEmail", "linkedAt"] { #expect(account.names.contains(name)) }
        }
        #expect(accounts.last?["isPrivateEmail"] == true)
        let byApple = try fixture.logIn("ann")
        #expect(byApple.userID == login.userID)
        #expect(byApple["isNewUser"] == false)
        #expect(byApple["user"]?.object?["email"] == "dev@example.com")
        #expect(Eventually.holds { (try? fixture.hasGrant(login.userID)) == true })
    }

    @Test("Linking and unlinking work through nginx, and are in the export")
    func behindNginx() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.devLogin("link@example.com")
        let body = server.apple.login("link")
        let linked = try server.send(.post("/api/users/me/accounts/apple", body, bearer: login.accessToken))
        #expect(linked.status == 200, "\(linked.json)")
        #expect(providers(linked) == ["DEV", "APPLE"])
        #expect(try server.delete("/api/users/me/accounts/apple", login).status == 204)
        let listed = try server.send(.get("/api/users/me/accounts", bearer: login.accessToken))
        #expect(providers(listed) == ["DEV"])
        let export = try server.send(.get("/api/users/me/export", bearer: login.accessToken))
        #expect(export.status == 200 && providers(export) == ["DEV"])
        let kinds = export["events"]?.array?.compactMap { $0.object?["kind"]?.string } ?? []
        #expect(kinds.contains("account_linked") && kinds.contains("account_unlinked"))
    }

    @Test("Accounts are never linked by email address")
    func email() throws {
        let dev = try fixture.server.devLogin("same@example.com")
        let apple = try fixture.logIn(fixture.apple.login("ann") { $0.email = "same@example.com" })
        #expect(apple["isNewUser"] == true)
        #expect(apple.userID != dev.userID)
        let other = try fixture.logIn(fixture.apple.login("bob") { $0.email = "same@example.com" })
        #expect(other.userID != apple.userID)
    }

    @Test("Unlinking revokes the grant at Apple, and the next Apple login creates a new user")
    func unlinked() throws {
        let login = try fixture.server.devLogin("dev@example.com")
        #expect(try link("ann", to: login).status == 200)
        #expect(Eventually.holds { (try? fixture.hasGrant(login.userID)) == true })
        #expect(try unlink(login).status == 204)
        #expect(Eventually.holds { !fixture.isAuthorised("ann") && fixture.pendingTasks == 0 })
        #expect(
            try providers(fixture.server.send(.get("/api/users/me/accounts", bearer: login.accessToken))) == [
                "DEV"
            ])
        #expect(try unlink(login).status == 204)
        let again = try fixture.logIn("ann")
        #expect(again["isNewUser"] == true && again.userID != login.userID)
        #expect(try link("bob", to: login).status == 200)
    }

    @Test("A login after an app transfer finds the user by transfer_sub")
    func transferred() throws {
        let before = try fixture.logIn(fixture.apple.login("A") { $0.transferSubject = "T" })
        let after = try fixture.logIn(fixture.apple.login("B") { $0.transferSubject = "T" })
        #expect(after.userID == before.userID && after["isNewUser"] == false)
        #expect(try fixture.logIn("B").userID == before.userID)
        let unknown = try fixture.logIn(fixture.apple.login("C") { $0.transferSubject = "U" })
        #expect(unknown["isNewUser"] == true)
        // An identity that has a user of its own keeps it.
        let other = try fixture.logIn("D")
        #expect(try fixture.logIn(fixture.apple.login("D") { $0.transferSubject = "T" }).userID == other.userID)
        #expect(try fixture.logIn("B").userID == before.userID)
    }

    @Test("Linking after an app transfer finds the user by transfer_sub")
    func transferredLink() throws {
        let ann = try fixture.logIn(fixture.apple.login("A") { $0.transferSubject = "T" })
        let dev = try fixture.server.devLogin("dev@example.com")
        #expect(
            try link(fixture.apple.login("B") { $0.transferSubject = "T" }, to: dev).code == "account_already_linked")
        #expect(try link(fixture.apple.login("B") { $0.transferSubject = "T" }, to: ann).status == 200)
        #expect(try fixture.logIn("B").userID == ann.userID)
    }
}
