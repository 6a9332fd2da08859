import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Guests in the API for support")
struct GuestSupportTests {
    @Test("Support sees who is a guest, gives a guest no role, and merges into no guest")
    func support() throws {
        let support = try SupportServer { $0["GUESTS"] = "open" }
        let boss = try support.administrator("boss", "SUPER_ADMIN").accessToken
        let guest = support.server.send(.post("/api/auth/guest", ["nickname": "Zoe"]))
        let dossier = support.send("GET", "users/\(guest.userID)", by: boss)
        #expect(dossier["user"]?.object?["guest"] == true && dossier["accounts"] == [])
        let role = support.send("PUT", "users/\(guest.userID)/role", ["role": "ADMIN", "reason": "a test"], by: boss)
        #expect(role.status == 409 && role.code == "user_is_guest")
        let user = try support.server.devLogin("user@example.com")
        let merge = support.send(
            "POST", "users/\(user.userID)/merge", ["into": .string(guest.userID), "reason": "a test"], by: boss)
        #expect(merge.status == 409 && merge["reason"] == "guest", "\(merge.json)")
        let away = support.send(
            "POST", "users/\(guest.userID)/merge", ["into": .string(user.userID), "reason": "a test"], by: boss)
        // A guest has no account that could move.
        #expect(away.status == 409 && away["reason"] == "status", "\(away.json)")
    }
}
