import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Revocation under load")
struct RevocationUnderLoadTests {
    @Test(
        "After `users disable` returns, no concurrent client is accepted, in many rounds",
        .enabled(if: !TestDatabase.isOnServer, "another node learns of it a moment later"))
    func disableAndEnable() throws {
        let server = try ServerProcess { $0["LOG_LEVEL"] = "warning" }
        let guardClients = ConcurrentGuardClients(server)
        let user = try server.devLogin("turn@example.com").userID
        let clients = (0..<4).map { _ in
            Background {
                guardClients.run()
                return []
            }
        }
        defer {
            guardClients.stop()
            for client in clients { _ = client.result() }
        }
        for round in 0..<(Need.areAllMet ? 50 : 15) {
            let token = try server.devLogin("turn@example.com").accessToken
            try #require(guardClients.present(token), "round \(round)")
            try server.runCommand("users", "disable", user)
            try #require(guardClients.expectRefusals(), "round \(round)")
            try server.runCommand("users", "enable", user)
            #expect(try server.send(.get("/api/auth/verify", bearer: token)).status == 401, "round \(round)")
        }
        #expect(guardClients.acceptedAfterRevocation == 0)
        #expect(guardClients.failure == nil)
    }
}
