import FakeApple
import JSON
import TestSupport
import Testing

@Suite("A disabled user whom Apple removes")
struct BarredIdentityTests {
    private let world: DeveloperHouse

    init() throws {
        world = try DeveloperHouse()
    }

    private func removeByApple(_ subject: String, in house: DeveloperHouse? = nil) throws {
        let world = house ?? world
        let order = NotificationOrder(
            type: "account-delete", subject: subject, audience: FakeAppleStand.bundleID)
        let answer = try world.house.send(
            .post("/api/auth/apple/notifications", world.apple.service.notification(order)))
        #expect(answer.status == 200)
    }

    /// A user who was disabled, and whom Apple has removed since.
    private func banned(_ subject: String, transferSubject: String? = nil) throws -> String {
        let login = try world.signIn(world.apple.login(subject) { $0.transferSubject = transferSubject })
        try world.house.operate("users", "disable", login.userID)
        try removeByApple(subject)
        #expect(try world.number("SELECT count(*) FROM auth_accounts WHERE user_id = '\(login.userID)'") == 0)
        return login.userID
    }

    @Test("does not come back as a new one, until the user is enabled")
    func attack() throws {
        let user = try banned("ann")
        #expect(try world.signIn("ann").code == "user_disabled")
        #expect(try world.signIn("bob").status == 200, "other users can sign in")
        try world.house.dieAndComeBack()
        #expect(try world.signIn("ann").code == "user_disabled", "after a kill")
        #expect(try world.number("SELECT count(*) FROM users") == 2)
        let said = try world.house.operate("users", "enable", user)
        #expect(said.contains("stays DELETED") && said.contains("can sign in again"))
        let back = try world.signIn("ann")
        #expect(back.status == 200 && back["isNewUser"] == true && back.userID != user)
    }

    @Test("is told so in the audit trail, by the id of then")
    func audit() throws {
        let user = try banned("ann")
        #expect(try world.signIn("ann").status == 403)
        #expect(
            Eventually.holds {
                (try? world.house.auditTrail().contains {
                    $0["kind"] == "login_refused" && $0["userId"]?.string == user && $0["detail"] == "user_disabled"
                }) == true
            })
    }

    @Test("is known again after every rotation of the secrets")
    func rotations() throws {
        _ = try banned("ann")
        var secret = Settings.refreshSecret
        for number in 1...3 {
            let next = "refresh secret number \(number) of more than thirty-two bytes"
            world.stop()
            try world.house.restart { variables in
                variables["JWT_REFRESH_SECRET"] = next
                variables["JWT_REFRESH_SECRET_PREVIOUS"] = secret
            }
            secret = next
            #expect(try world.signIn("ann").code == "user_disabled", "rotation \(number)")
        }
    }

    @Test("is known again when the right secret is back after a start with a wrong one")
    func wrongSecret() throws {
        _ = try banned("ann")
        world.stop()
        try world.house.restart { $0["JWT_REFRESH_SECRET"] = "a wrong refresh secret of more than thirty-two bytes" }
        #expect(world.house.process.log.contains("identity_hashes"), "the log warns")
        world.stop()
        try world.house.restart()
        #expect(try world.signIn("ann").code == "user_disabled")
    }

    @Test("does not come back after a transfer of which Apple tells only at a login that is refused")
    func laterTransfer() throws {
        _ = try banned("ann")
        #expect(try world.signIn(world.apple.login("ann") { $0.transferSubject = "T" }).code == "user_disabled")
        #expect(try world.signIn(world.apple.login("new") { $0.transferSubject = "T" }).code == "user_disabled")
    }

    @Test("does not come back by another of their identities that was removed with them")
    func everyIdentity() throws {
        let world = try DeveloperHouse { $0["APPLE_ON_CONSENT_REVOKED"] = "delete" }
        let login = try world.house.devLogin("dev@example.com")
        let path = "/api/users/me/accounts/apple"
        #expect(try world.house.send(.post(path, world.apple.login("ann"), bearer: login.accessToken)).status == 200)
        try world.house.operate("users", "disable", login.userID)
        try removeByApple("ann", in: world)
        #expect(try world.house.devLogin("dev@example.com").code == "user_disabled")
        #expect(try world.signIn("ann").code == "user_disabled")
    }

    @Test("does not come back by a transfer of the app, or as an identity of another user")
    func otherWays() throws {
        _ = try banned("ann", transferSubject: "ann.transfer")
        let transferred = try world.signIn(world.apple.login("ann.new") { $0.transferSubject = "ann.transfer" })
        #expect(transferred.code == "user_disabled")
        let other = try world.house.devLogin("other@example.com")
        let link = try world.house.send(
            .post("/api/users/me/accounts/apple", world.apple.login("ann"), bearer: other.accessToken))
        #expect(link.code == "account_already_linked")
    }

    @Test("leaves no name behind: only a keyed hash")
    func pseudonym() throws {
        _ = try banned("001234.a-subject-to-look-for")
        #expect(try world.number("SELECT count(*) FROM barred_identities WHERE length(hash) = 32") == 1)
        #expect(try !world.house.operate("audit", "--json", "--limit", "1000").contains("a-subject-to-look-for"))
    }
}
