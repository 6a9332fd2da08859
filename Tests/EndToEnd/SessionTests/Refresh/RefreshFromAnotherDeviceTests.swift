import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Repeated refreshes from another device")
struct RefreshFromAnotherDeviceTests {
    private let server: ServerProcess

    init() throws {
        server = try ServerProcess()
    }

    private func refresh(_ token: String, by userAgent: String) throws -> TestResponse {
        var request = TestRequest.refresh(token)
        request.headers.append(("User-Agent", userAgent))
        return try server.send(request)
    }

    private func repeats(_ kind: String = "refresh_repeated_elsewhere") throws -> [JSONObject] {
        try server.auditTrail().filter { $0["kind"] == .string(kind) }
    }

    private func counted(_ metric: String = "gatehouse_refresh_repeats_elsewhere_total") throws -> Int {
        let text = String(decoding: try server.send(.get("/metrics")).body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix(metric + " ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? -1
    }

    /// The attack: a thief with a copy of the refresh token waits until the session list shows a refresh by the owner,
    /// and then sends the old token.
    @Test("Another device gets the successor, and the operator is informed")
    func anotherDevice() throws {
        var stolen = try server.devLogin("owner@example.com").refreshToken
        for round in 1...3 {
            let own = try refresh(stolen, by: "Owner/1")
            let followed = try refresh(stolen, by: "Thief/1")
            #expect(followed.refreshToken == own.refreshToken)
            #expect(try counted() == round)
            stolen = own.refreshToken
        }
        #expect(try counted("gatehouse_sessions_repeated_elsewhere_total") == 1)
        #expect(Eventually.holds { server.process.log.contains("session_repeated_elsewhere") })
        #expect(Eventually.holds { (try? repeats().reduce(0) { $0 + ($1["count"]?.integer ?? 0) }) == 3 })
        let event = try #require(try repeats().first)
        #expect(event["device"] == "Thief/1" && event["address"] == "127.0.0.1")
        #expect(event["userId"]?.string?.hasPrefix("user_") == true)
        #expect(event["sessionId"]?.string?.hasPrefix("sess_") == true)
    }

    @Test("The same device gets the successor, and nothing is recorded")
    func sameDevice() throws {
        let login = try server.devLogin("honest@example.com")
        for _ in 0..<3 { #expect(try refresh(login.refreshToken, by: "Owner/1").status == 200) }
        #expect(try counted() == 0)
        // Events are recorded in order, so an earlier one would be visible by now.
        #expect(try server.refresh("x").status == 401)
        #expect(
            Eventually.holds { (try? server.auditTrail().contains { $0["kind"] == "refresh_refused" }) == true })
        #expect(try repeats().isEmpty)
        #expect(try repeats("refresh_repeated_often").isEmpty)
    }

    @Test("A session is counted with the third repeat from another device, and not again, also after a kill")
    func countedSession() throws {
        let login = try server.devLogin("counted@example.com")
        #expect(try refresh(login.refreshToken, by: "Owner/1").status == 200)
        for number in 1...5 {
            if number == 3 { try server.killAndRestart() }
            #expect(try refresh(login.refreshToken, by: "Thief/1").status == 200)
            #expect(try counted("gatehouse_sessions_repeated_elsewhere_total") == (number < 3 ? 0 : 1))
        }
    }

    @Test("Each repeat is compared with the device that rotated, and not with a repeat before it")
    func comparedWithTheRotation() throws {
        let login = try server.devLogin("compared@example.com")
        let own = try refresh(login.refreshToken, by: "Owner/1")
        for device in ["Thief/1", "Owner/1", "Thief/1"] {
            #expect(try refresh(login.refreshToken, by: device).refreshToken == own.refreshToken)
        }
        #expect(try counted() == 2)
    }

    @Test("The third repeat in a row is recorded and counted once, also when the server was killed in between")
    func often() throws {
        let login = try server.devLogin("often@example.com")
        let next = try refresh(login.refreshToken, by: "Owner/1")
        for _ in 1...2 { #expect(try refresh(login.refreshToken, by: "Owner/1").refreshToken == next.refreshToken) }
        try server.killAndRestart()
        for _ in 3...5 { #expect(try refresh(login.refreshToken, by: "Owner/1").refreshToken == next.refreshToken) }
        #expect(try counted("gatehouse_refresh_repeated_often_total") == 1)
        #expect(Eventually.holds { (try? repeats("refresh_repeated_often").count) == 1 })
        #expect(try repeats().isEmpty)
    }
}
