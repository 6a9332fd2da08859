import JSON
import StandIn
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Disabled users whose Apple account was removed")
struct BarredIdentityTests {
    private let fixture: AppleDeveloperFixture

    init() throws {
        fixture = try AppleDeveloperFixture()
    }

    private func removeByApple(_ subject: String, in other: AppleDeveloperFixture? = nil) throws {
        let fixture = other ?? fixture
        let order = NotificationOrder(
            type: "account-delete", subject: subject, audience: FakeAppleIssuer.bundleID)
        let response = try fixture.server.send(
            .post("/api/auth/apple/notifications", fixture.apple.service.notification(order)))
        #expect(response.status == 200)
    }

    /// Creates a user, disables it and removes its identity with a notification from Apple.
    private func removedUser(_ subject: String, transferSubject: String? = nil) throws -> String {
        let login = try fixture.logIn(fixture.apple.login(subject) { $0.transferSubject = transferSubject })
        try fixture.server.runCommand("users", "disable", login.userID)
        try removeByApple(subject)
        #expect(try fixture.number("SELECT count(*) FROM auth_accounts WHERE user_id = '\(login.userID)'") == 0)
        return login.userID
    }

    @Test("A disabled user cannot come back as a new user until an operator enables the user")
    func secondLogin() throws {
        let user = try removedUser("ann")
        #expect(try fixture.logIn("ann").code == "user_disabled")
        #expect(try fixture.logIn("bob").status == 200, "other users can log in")
        try fixture.server.killAndRestart()
        #expect(try fixture.logIn("ann").code == "user_disabled", "after a kill")
        #expect(try fixture.number("SELECT count(*) FROM users") == 2)
        let said = try fixture.server.runCommand("users", "enable", user)
        #expect(said.contains("stays DELETED") && said.contains("can sign in again"))
        let back = try fixture.logIn("ann")
        #expect(back.status == 200 && back["isNewUser"] == true && back.userID != user)
    }

    @Test("The audit trail has the refused login under the old user id; only a keyed hash of the identity is stored")
    func recorded() throws {
        let user = try removedUser("001234.a-subject-to-look-for")
        #expect(try fixture.number("SELECT count(*) FROM barred_identities WHERE length(hash) = 32") == 1)
        #expect(try fixture.logIn("001234.a-subject-to-look-for").status == 403)
        #expect(
            Eventually.holds {
                (try? fixture.server.auditTrail().contains {
                    $0["kind"] == "login_refused" && $0["userId"]?.string == user && $0["detail"] == "user_disabled"
                }) == true
            })
        #expect(
            try !fixture.server.runCommand("audit", "--json", "--limit", "1000").contains("a-subject-to-look-for")
        )
    }

    @Test("The identity stays barred after every rotation of the secrets")
    func rotations() throws {
        _ = try removedUser("ann")
        var secret = TestSettings.refreshSecret
        for number in 1...3 {
            let next = "refresh secret number \(number) of more than thirty-two bytes"
            fixture.stop()
            try fixture.server.restart { variables in
                variables["JWT_REFRESH_SECRET"] = next
                variables["JWT_REFRESH_SECRET_PREVIOUS"] = secret
            }
            secret = next
            #expect(try fixture.logIn("ann").code == "user_disabled", "rotation \(number)")
        }
    }

    @Test("The identity is barred again when a secret that was declared lost is found")
    func lostSecret() throws {
        _ = try removedUser("ann")
        fixture.stop()
        let wrong = "a new refresh secret of more than thirty-two bytes"
        let settings = ["DATABASE_URL": fixture.server.databaseURL, "JWT_REFRESH_SECRET": wrong]
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "keys", "reseal", "--lost-secret", "--yes"], environment: settings)
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errorOutput)")
        try fixture.server.restart { $0["JWT_REFRESH_SECRET"] = wrong }
        #expect(Eventually.holds { fixture.server.process.log.contains("identity_hashes") }, "the log warns")
        fixture.stop()
        try fixture.server.restart {
            $0["JWT_REFRESH_SECRET"] = wrong
            $0["JWT_REFRESH_SECRET_PREVIOUS"] = TestSettings.refreshSecret
        }
        #expect(try fixture.logIn("ann").code == "user_disabled")
    }

    @Test("Every identity of a removed user is barred")
    func everyIdentity() throws {
        let fixture = try AppleDeveloperFixture { $0["APPLE_ON_CONSENT_REVOKED"] = "delete" }
        let login = try fixture.server.devLogin("dev@example.com")
        let path = "/api/users/me/accounts/apple"
        #expect(
            try fixture.server.send(.post(path, fixture.apple.login("ann"), bearer: login.accessToken)).status
                == 200)
        try fixture.server.runCommand("users", "disable", login.userID)
        try removeByApple("ann", in: fixture)
        #expect(try fixture.server.devLogin("dev@example.com").code == "user_disabled")
        #expect(try fixture.logIn("ann").code == "user_disabled")
    }

    @Test("The identity stays barred after an app transfer, also a later one, and cannot be linked to another user")
    func transferAndLink() throws {
        _ = try removedUser("ann", transferSubject: "ann.transfer")
        let transferred = try fixture.logIn(fixture.apple.login("ann.new") { $0.transferSubject = "ann.transfer" })
        #expect(transferred.code == "user_disabled")
        for subject in ["ann", "newer"] {
            let later = fixture.apple.login(subject) { $0.transferSubject = "T" }
            #expect(try fixture.logIn(later).code == "user_disabled", "\(subject)")
        }
        let other = try fixture.server.devLogin("other@example.com")
        let link = try fixture.server.send(
            .post("/api/users/me/accounts/apple", fixture.apple.login("ann"), bearer: other.accessToken))
        #expect(link.code == "account_already_linked")
    }
}
