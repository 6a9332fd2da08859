import JSON
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("How strong an administrator's login has to be")
struct AdministratorStrengthTests {
    private func status(_ support: SupportServer, _ login: TestResponse) -> String {
        support.send("GET", "self", by: login.accessToken).code ?? "accepted"
    }

    private func givePasskey(to user: String, of support: SupportServer) throws {
        try support.server.testDatabase.execute(
            """
            INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at)
            VALUES ('acct_passkey', '\(user)', 'PASSKEY', 'handle', 1, 1)
            """)
    }

    private func sign(_ login: TestResponse, _ method: String, of support: SupportServer) throws {
        let session = login.refreshClaims["sid"]?.string ?? ""
        try support.server.testDatabase.execute(
            "UPDATE refresh_tokens SET methods = '\(method)' WHERE id = '\(session)'")
    }

    @Test("An administrator who has a passkey signs in by it, with user verification, and changes the account so alone")
    func own() throws {
        let support = try SupportServer()
        let boss = try support.administrator("boss")
        #expect(status(support, boss) == "accepted")
        try givePasskey(to: boss.userID, of: support)
        let refused = support.send("GET", "self", by: boss.accessToken)
        #expect(refused.status == 401 && refused.code == "insufficient_authentication")
        #expect(refused.header("www-authenticate")?.contains("acr_values=\"urn:gatehouse:2\"") == true)
        let unlink = TestRequest(
            method: "DELETE", path: "/api/users/me/accounts/passkey",
            headers: [("Authorization", "Bearer " + boss.accessToken)])
        #expect(support.server.send(unlink).code == "insufficient_authentication")
        try sign(boss, "pop user", of: support)
        #expect(status(support, boss) == "insufficient_authentication", "a passkey that has not verified its user")
        try sign(boss, "pop user mfa", of: support)
        #expect(status(support, boss) == "accepted")
        #expect(support.send("GET", "self", by: boss.accessToken)["acr"] == "urn:gatehouse:2")
        // What the token says is worth nothing.
        try sign(boss, "otp", of: support)
        let forged = try ForgedToken.accessToken(like: boss.accessToken, claim: "acr", "urn:gatehouse:2")
        #expect(support.send("GET", "self", by: forged).code == "insufficient_authentication")
    }

    @Test("ADMIN_ACR demands a strong login of all, or of none")
    func setting() throws {
        let strict = try SupportServer { $0["ADMIN_ACR"] = "urn:gatehouse:2" }
        let one = try strict.administrator("one")
        #expect(status(strict, one) == "insufficient_authentication")
        try sign(one, "pop user mfa", of: strict)
        #expect(status(strict, one) == "accepted")
        let lenient = try SupportServer { $0["ADMIN_ACR"] = "urn:gatehouse:1" }
        let other = try lenient.administrator("other")
        try givePasskey(to: other.userID, of: lenient)
        #expect(status(lenient, other) == "accepted")
    }

    @Test("A user without the role unlinks as before")
    func ordinary() throws {
        let support = try SupportServer()
        let user = try support.server.devLogin("user@example.com")
        try givePasskey(to: user.userID, of: support)
        let unlink = TestRequest(
            method: "DELETE", path: "/api/users/me/accounts/passkey",
            headers: [("Authorization", "Bearer " + user.accessToken)])
        #expect(support.server.send(unlink).code != "insufficient_authentication")
    }
}
