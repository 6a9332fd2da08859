import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Users with accounts at several providers")
struct SeveralAccountsTests {
    private let fixture: ProviderFixture
    private var server: any TestServer { fixture.server }

    init() throws {
        fixture = try ProviderFixture()
    }

    private func providers(_ login: TestResponse) throws -> [String] {
        let accounts =
            try server.send(.get("/api/users/me/accounts", bearer: login.accessToken))["accounts"]?.array ?? []
        return accounts.compactMap { $0.object?["provider"]?.string }
    }

    private func linkApple(_ subject: String, to login: TestResponse) throws -> TestResponse {
        try fixture.link("apple", server.apple.login(subject), to: login)
    }

    @Test("A user links one account of each provider, signs in by each, and unlinks all but the last")
    func all() throws {
        let login = try fixture.logIn("qq", fixture.code("qq", ["openid": "Q1"]))
        #expect(try linkApple("001.ann", to: login).status == 200)
        #expect(try fixture.link("google", fixture.token("google", ["sub": "g"]), to: login).status == 200)
        #expect(try fixture.link("wechat", fixture.code("wechat", ["openid": "w"]), to: login).status == 200)
        #expect(try fixture.link("acme", fixture.token("acme", ["sub": "a"]), to: login).status == 200)
        #expect(try providers(login) == ["QQ", "APPLE", "GOOGLE", "WECHAT", "ACME"])
        #expect(try fixture.logIn("wechat", fixture.code("wechat", ["openid": "w"])).userID == login.userID)
        #expect(try fixture.logIn("acme", fixture.token("acme", ["sub": "a"])).userID == login.userID)
        for provider in ["acme", "wechat", "google", "apple"] {
            #expect(try fixture.unlink(provider, login).status == 204)
        }
        expectProblem(try fixture.unlink("qq", login), 409, "last_account")
        #expect(try fixture.unlink("acme", login).status == 204, "may be repeated")
        let export = try server.send(.get("/api/users/me/export", bearer: login.accessToken))
        let events = export["events"]?.array?.compactMap(\.object) ?? []
        let linked = events.filter { $0["kind"] == "account_linked" }.compactMap { $0["provider"]?.string }
        #expect(linked == ["APPLE", "GOOGLE", "WECHAT", "ACME"])
        #expect(events.filter { $0["kind"] == "account_unlinked" }.count == 4)
    }

    @Test("A link that is refused says whether the identity or the provider is taken")
    func conflicts() throws {
        let ann = try fixture.logIn("google", fixture.token("google", ["sub": "ann"]))
        let bob = try fixture.logIn("acme", fixture.token("acme", ["sub": "bob"]))
        let identity = try fixture.link("google", fixture.token("google", ["sub": "ann"]), to: bob)
        expectProblem(identity, 409, "account_already_linked")
        #expect(identity["reason"] == "identity")
        let provider = try fixture.link("google", fixture.token("google", ["sub": "other"]), to: ann)
        expectProblem(provider, 409, "account_already_linked")
        #expect(provider["reason"] == "provider")
        #expect(try fixture.link("google", fixture.token("google", ["sub": "ann"]), to: ann).status == 200, "again")
        let refused = try fixture.link("google", ["identityToken": "x.y.z"], to: ann)
        expectProblem(refused, 422, "invalid_identity")
    }

    /// The question of an app that signs in by Apple, then by QQ, and whose user then withdraws what Apple permitted.
    @Test(
        "Apple's consent is withdrawn: sessions of Apple end, those of QQ go on, and the next Apple login is a new user"
    )
    func consentWithdrawn() throws {
        let byApple = try server.send(.post("/api/auth/apple", server.apple.login("001.ann")))
        #expect(try fixture.link("qq", fixture.code("qq", ["openid": "Q1"]), to: byApple).status == 200)
        let byQQ = try fixture.logIn("qq", fixture.code("qq", ["openid": "Q1"]))
        #expect(byQQ.userID == byApple.userID)
        let notification = server.apple.notification("consent-revoked", "001.ann")
        #expect(try server.send(.post("/api/auth/apple/notifications", notification)).status == 200)
        #expect(try server.me(byApple.accessToken).code == "session_revoked")
        #expect(try server.refresh(byApple.refreshToken).code == "refresh_token_revoked")
        #expect(try fixture.isSignedIn(byQQ) && server.refresh(byQQ.refreshToken).status == 200)
        #expect(try providers(byQQ) == ["QQ"])
        let later = try server.send(.post("/api/auth/apple", server.apple.login("001.ann")))
        #expect(later["isNewUser"] == true && later.userID != byQQ.userID)
    }

    @Test(
        "Where a recent login is required, a fresh credential of any own account proves it, and QQ's access token does not"
    )
    func recentLogin() throws {
        let fixture = try ProviderFixture { $0["SENSITIVE_MAX_AGE"] = "10m" }
        let server = try #require(fixture.server as? InProcessServer)
        let login = try fixture.logIn("qq", fixture.code("qq", ["openid": "Q1"]))
        server.advanceClock(by: .seconds(700))
        func delete(_ body: JSONObject) throws -> TestResponse {
            var body = body
            body["provider"] = "QQ"
            return try server.delete("/api/users/me", login, body)
        }
        expectProblem(try delete([:]), 401, "login_too_old")
        let minted = try fixture.providers.control("/qq/mint", ["openid": "Q1"])
        expectProblem(try delete(["accessToken": minted["accessToken"] ?? .null]), 401, "login_too_old")
        expectProblem(try delete(fixture.code("qq", ["openid": "Q2"])), 401, "login_too_old")
        #expect(try delete(fixture.code("qq", ["openid": "Q1"])).status == 204)
    }

    @Test("A session whose own account was unlinked ends with the account that was left to vouch for it")
    func orphan() throws {
        let own = try fixture.logIn("google", fixture.token("google", ["sub": "ann"]))
        #expect(try linkApple("001.ann", to: own).status == 200)
        #expect(try fixture.link("qq", fixture.code("qq", ["openid": "Q1"]), to: own).status == 200)
        #expect(try fixture.unlink("google", own).status == 204)
        #expect(try fixture.isSignedIn(own))
        let notification = server.apple.notification("consent-revoked", "001.ann")
        #expect(try server.send(.post("/api/auth/apple/notifications", notification)).status == 200)
        #expect(try server.me(own.accessToken).code == "session_revoked")
    }
}
