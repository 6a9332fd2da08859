import JSON
import TestSupport
import Testing

@Suite("A refresh that is repeated within the grace")
struct RepeatElsewhereTests {
    private let house: ServedHouse

    init() throws {
        house = try ServedHouse()
    }

    private func refresh(_ token: String, by userAgent: String) throws -> Answer {
        var call = Call.refresh(token)
        call.headers.append(("User-Agent", userAgent))
        return try house.send(call)
    }

    private func repeats() throws -> [JSONObject] {
        try house.auditTrail().filter { $0["kind"] == "refresh_repeated_elsewhere" }
    }

    private func counted() throws -> Int {
        let text = String(decoding: try house.send(.get("/metrics")).body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("gatehouse_refresh_repeats_elsewhere_total ") }
        return line?.split(separator: " ").last.flatMap { Int($0) } ?? -1
    }

    /// The attack: a thief with a copy of the refresh token looks at the session list until the owner has refreshed, and then
    /// sends the token of before.
    @Test("from another device gets the successor, and is told to the operator")
    func thief() throws {
        var stolen = try house.devLogin("owner@example.com").refreshToken
        for round in 1...3 {
            let own = try refresh(stolen, by: "Owner/1")
            let followed = try refresh(stolen, by: "Thief/1")
            #expect(followed.refreshToken == own.refreshToken)
            #expect(try counted() == round)
            stolen = own.refreshToken
        }
        #expect(Eventually.holds { (try? repeats().reduce(0) { $0 + ($1["count"]?.integer ?? 0) }) == 3 })
        let event = try #require(try repeats().first)
        #expect(event["device"] == "Thief/1" && event["address"] == "127.0.0.1")
        #expect(event["userId"]?.string?.hasPrefix("user_") == true)
        #expect(event["sessionId"]?.string?.hasPrefix("sess_") == true)
    }

    @Test("from the same device is a lost answer, and nothing is told")
    func lostAnswer() throws {
        let login = try house.devLogin("honest@example.com")
        for _ in 0..<3 { #expect(try refresh(login.refreshToken, by: "Owner/1").status == 200) }
        #expect(try counted() == 0)
        // Entered in order of time: what would have been told before this is there with it.
        #expect(try house.refresh("x").status == 401)
        #expect(Eventually.holds { (try? house.auditTrail().contains { $0["kind"] == "refresh_refused" }) == true })
        #expect(try repeats().isEmpty)
    }
}
