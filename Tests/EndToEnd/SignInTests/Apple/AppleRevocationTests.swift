import Foundation
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Revoking Apple's grant on account deletion")
struct AppleRevocationTests {
    private func bodyWithoutCode(of subject: String, in fixture: AppleDeveloperFixture) -> JSONObject {
        var body = fixture.apple.login(subject)
        body["authorizationCode"] = .none
        return body
    }

    @Test("Deleting an account revokes the grant at Apple")
    func revoked() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logInAndAwaitGrant("ann")
        _ = try fixture.logInAndAwaitGrant("bob")
        let response = try fixture.server.deleteAccount(login)
        #expect(response.status == 204)
        #expect(response.header("x-apple-revocation") == "queued")
        #expect(response.header("link") == nil)
        #expect(Eventually.holds { !fixture.isAuthorised("ann") && fixture.pendingTasks == 0 })
        #expect(fixture.isAuthorised("bob"))
        let again = try fixture.logIn("ann")
        #expect(again["isNewUser"] == true && again.userID != login.userID)
    }

    @Test("A deletion by an operator revokes the grant too")
    func byOperator() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logInAndAwaitGrant("ann")
        try fixture.server.runCommand("users", "delete", login.userID, "--yes")
        #expect(Eventually.holds { !fixture.isAuthorised("ann") && fixture.pendingTasks == 0 })
    }

    @Test("Without a grant, the response tells the user how to revoke it")
    func withoutGrant() throws {
        let fixture = try AppleDeveloperFixture()
        let strangers = try ServerProcess()
        let logins: [(any TestServer, TestResponse)] = [
            (fixture.server, try fixture.logIn(bodyWithoutCode(of: "ann", in: fixture))),
            (strangers, try strangers.send(.post("/api/auth/apple", strangers.apple.login("ann")))),
        ]
        for (server, login) in logins {
            let response = try server.deleteAccount(login)
            #expect(response.status == 204)
            #expect(response.header("x-apple-revocation") == "by-hand")
            #expect(response.header("link") == #"<https://account.apple.com/account/manage>; rel="help""#)
        }
        // Without developer credentials, an authorization code cannot be exchanged.
        let login = try strangers.send(.post("/api/auth/apple", strangers.apple.login("bob")))
        #expect(try strangers.deleteAccount(login, code: "c").header("x-apple-revocation") == "by-hand")
    }

    @Test("nginx passes the headers of the response on")
    func headers() throws {
        let server = try SharedServers.standard(.nginx)
        let login = try server.send(.post("/api/auth/apple", server.apple.login("headers")))
        let response = try server.deleteAccount(login, code: "c")
        #expect(response.status == 204)
        #expect(response.header("x-apple-revocation") == "by-hand")
        #expect(response.header("link")?.hasPrefix("<https://account.apple.com/") == true)
    }

    @Test("A fresh authorization code allows the revocation when no grant is stored")
    func freshCode() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logIn(bodyWithoutCode(of: "ann", in: fixture))
        let code = fixture.apple.login("ann")["authorizationCode"]
        let response = try fixture.server.deleteAccount(login, code: code)
        #expect(response.header("x-apple-revocation") == "queued")
        #expect(
            Eventually.holds {
                fixture.requests(of: "/auth/revoke").map(\.status) == [200] && fixture.pendingTasks == 0
            })
        #expect(fixture.requests(of: "/auth/token").count == 1)
        #expect(!fixture.isAuthorised("ann"))
    }

    @Test("Users without an Apple account cause no request to Apple")
    func withoutAppleAccount() throws {
        let fixture = try AppleDeveloperFixture()
        let response = try fixture.server.deleteAccount(fixture.server.devLogin("d@example.com"), code: "c")
        #expect(response.status == 204)
        #expect(response.header("x-apple-revocation") == nil && response.header("link") == nil)
        #expect(fixture.pendingTasks == 0)
    }

    @Test("The revocation survives a kill of Apple's server and of Gatehouse")
    func killed() throws {
        let apple = try FakeAppleProcess()
        let server = try ServerProcess { apple.configure(&$0) }
        let login = try server.send(.post("/api/auth/apple", apple.login("ann")))
        #expect(login.status == 200)
        #expect(Eventually.holds { (try? apple.authorisations()) == ["ann"] })
        #expect(Eventually.holds { (try? server.count("auth_accounts WHERE refresh_token IS NOT NULL")) == 1 })
        try apple.injectFault(["fault": "hang", "path": "/auth/revoke"])
        #expect(try server.deleteAccount(login).status == 204)
        #expect(try server.me(login.accessToken).code == "session_revoked")
        #expect(Eventually.holds { (try? apple.requests())?.contains("/auth/revoke") == true })
        try apple.kill()
        server.process.signal(SIGKILL)
        _ = server.process.wait()
        try server.restart()
        #expect(try server.me(login.accessToken).status == 401)
        #expect(try server.count("apple_tasks") == 1)
        try apple.restart()
        // On a busy machine, the next attempt may have come already.
        #expect(try apple.authorisations() == ["ann"] || apple.requests().contains("/auth/revoke"))
        #expect(
            Eventually.holds { (try? apple.authorisations()) == [] && (try? server.count("apple_tasks")) == 0 })
    }
}
