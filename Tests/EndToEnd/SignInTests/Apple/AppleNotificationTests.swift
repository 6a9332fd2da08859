import Foundation
import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

/// A server with a fake Apple that sends it notifications.
private struct NotificationFixture {
    let apple: FakeAppleServer
    let server: any TestServer
    private let folder: TemporaryFolder

    init(_ environment: TestEnvironment, _ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        folder = try TemporaryFolder()
        let apple = try FakeAppleServer(in: folder)
        self.apple = apple
        let settings: (inout [String: String]) -> Void = { variables in
            AppleDeveloperFixture.configure(&variables, for: apple)
            adjust(&variables)
        }
        server =
            switch environment {
            case .handler: try InProcessServer(settings)
            case .fastCGI: try ServerProcess(settings)
            case .nginx: try ServerBehindNginx(settings)
            }
    }

    func logIn(_ subject: String) throws -> TestResponse {
        try server.send(.post("/api/auth/apple", apple.login(subject)))
    }

    func notify(_ type: String, _ subject: String, _ adjust: (inout NotificationOrder) -> Void = { _ in }) throws
        -> TestResponse
    {
        var order = NotificationOrder(type: type, subject: subject, audience: FakeAppleIssuer.bundleID)
        adjust(&order)
        return try notify(apple.service.notification(order))
    }

    func notify(_ body: JSONObject) throws -> TestResponse {
        try server.send(.post("/api/auth/apple/notifications", body))
    }
}

@Suite("Notifications from Apple's servers")
struct AppleNotificationTests {
    @Test("consent-revoked ends the user's sessions at once", arguments: TestEnvironment.allCases)
    func consentRevoked(_ environment: TestEnvironment) throws {
        let fixture = try NotificationFixture(environment)
        let (login, other) = (try fixture.logIn("ann"), try fixture.logIn("bob"))
        let response = try fixture.notify("consent-revoked", "ann")
        #expect(response.status == 200)
        // The verify path is not reachable through nginx.
        if environment != .nginx {
            #expect(try fixture.server.verify(login.accessToken).code == "session_revoked")
        }
        #expect(try fixture.server.me(login.accessToken).code == "session_revoked")
        #expect(try fixture.server.refresh(login.refreshToken).status == 401)
        #expect(try fixture.server.me(other.accessToken).status == 200)
    }

    @Test("Every type that Apple uses has its effect")
    func everyType() throws {
        let fixture = try NotificationFixture(.handler)
        for type in ["consent-revoked", "account-delete", "account-deleted"] {
            let login = try fixture.logIn(type)
            #expect(try fixture.notify(type, type).status == 200)
            #expect(try fixture.server.me(login.accessToken).code == "session_revoked", "\(type)")
        }
        for (type, isForwarded) in [("email-disabled", false), ("email-enabled", true)] {
            let login = try fixture.logIn("mail")
            #expect(try fixture.notify(type, "mail").status == 200)
            #expect(try fixture.server.me(login.accessToken).status == 200)
            let export = try fixture.server.send(.get("/api/users/me/export", bearer: login.accessToken))
            let account = export["accounts"]?.array?.first?.object
            #expect(account?["isMailForwarded"] == .bool(isForwarded), "\(export.json)")
        }
    }

    @Test(
        "After consent-revoked, the configured policy decides what happens to the account",
        arguments: [("keep", true), ("unlink", false), ("delete", false)])
    func policies(_ policy: String, _ staysTheSame: Bool) throws {
        let fixture = try NotificationFixture(.handler) { $0["APPLE_ON_CONSENT_REVOKED"] = policy }
        let login = try fixture.logIn("ann")
        #expect(try fixture.notify("consent-revoked", "ann").status == 200)
        #expect(try fixture.server.me(login.accessToken).code == "session_revoked")
        let again = try fixture.logIn("ann")
        #expect(again["isNewUser"] == .bool(!staysTheSame))
        #expect((again.userID == login.userID) == staysTheSame)
    }

    @Test("A repeated notification does not end newer sessions")
    func repeated() throws {
        let fixture = try NotificationFixture(.handler) { $0["APPLE_ON_CONSENT_REVOKED"] = "keep" }
        let login = try fixture.logIn("ann")
        var order = NotificationOrder(type: "consent-revoked", subject: "ann", audience: FakeAppleIssuer.bundleID)
        order.identifier = "the same"
        let body = fixture.apple.service.notification(order)
        #expect(try fixture.notify(body).status == 200)
        #expect(try fixture.server.me(login.accessToken).code == "session_revoked")
        let again = try fixture.logIn("ann")
        #expect(try fixture.notify(body).status == 200)
        // The same notification id in a new token.
        #expect(try fixture.notify(fixture.apple.service.notification(order)).status == 200)
        #expect(try fixture.server.me(again.accessToken).status == 200)
    }

    @Test("A notification that is older than the last login or the link ends no session", arguments: ["login", "link"])
    func olderNotification(_ kind: String) throws {
        let fixture = try NotificationFixture(.handler)
        let then = Int64(Date().timeIntervalSince1970) - 5
        let login = kind == "login" ? try fixture.logIn("ann") : try fixture.server.devLogin("old@example.com")
        if kind == "link" {
            let request = TestRequest.post(
                "/api/users/me/accounts/apple", fixture.apple.login("ann"), bearer: login.accessToken)
            #expect(try fixture.server.send(request).status == 200)
        }
        for type in ["consent-revoked", "account-delete"] {
            let events: JSONObject = ["type": .string(type), "sub": "ann", "event_time": .integer(then * 1000)]
            let response = try fixture.notify(type, "ann") {
                $0.claims = ["iat": .integer(then), "events": .object(events)]
            }
            #expect(response.status == 200)
        }
        #expect(try fixture.server.me(login.accessToken).status == 200)
        #expect(try fixture.logIn("ann").userID == login.userID)
    }

    @Test("Unknown notification types and unknown users are answered with 200")
    func unknown() throws {
        let fixture = try NotificationFixture(.handler)
        let login = try fixture.logIn("ann")
        for (type, subject) in [("moon-landed", "ann"), ("consent-revoked", "unknown"), ("email-enabled", "unknown")] {
            #expect(try fixture.notify(type, subject).status == 200)
        }
        #expect(try fixture.server.me(login.accessToken).status == 200)
    }

    @Test("A notification without Apple's signature is refused")
    func forged() throws {
        let fixture = try NotificationFixture(.handler)
        let login = try fixture.logIn("ann")
        let order = NotificationOrder(type: "consent-revoked", subject: "ann", audience: FakeAppleIssuer.bundleID)
        let genuine = try #require(fixture.apple.service.notification(order)["payload"]?.string)
        let parts = genuine.split(separator: ".").map(String.init)
        let signature = String(parts[2].reversed())
        let identity = try #require(fixture.apple.login("ann")["identityToken"])
        for payload in [.string(parts[0] + "." + parts[1] + "." + signature), identity, "x"] as [JSONValue] {
            let response = try fixture.notify(["payload": payload])
            #expect(response.status == 401)
            #expect(response.code == "invalid_apple_token")
        }
        let asLogin = try fixture.server.send(.post("/api/auth/apple", ["identityToken": .string(genuine)]))
        #expect(asLogin.status == 401 && asLogin.code == "invalid_apple_token")
        #expect(try fixture.server.me(login.accessToken).status == 200)
        #expect(try fixture.notify(["payload": .string(genuine)]).status == 200)
        #expect(try fixture.server.me(login.accessToken).code == "session_revoked")
    }

    @Test("A notification that was answered with 200 survives a kill")
    func durable() throws {
        let fixture = try AppleDeveloperFixture()
        let login = try fixture.logIn("ann")
        let order = NotificationOrder(type: "consent-revoked", subject: "ann", audience: FakeAppleIssuer.bundleID)
        let response = try fixture.server.send(
            .post("/api/auth/apple/notifications", fixture.apple.service.notification(order)))
        #expect(response.status == 200)
        try fixture.server.killAndRestart()
        #expect(try fixture.server.me(login.accessToken).code == "session_revoked")
        #expect(try fixture.server.refresh(login.refreshToken).status == 401)
    }
}
