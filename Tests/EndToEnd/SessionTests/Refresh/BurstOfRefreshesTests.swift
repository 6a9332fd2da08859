import JSON
import Testing

@testable import ServerSupport

@Suite("Refreshes that race")
struct BurstOfRefreshesTests {
    @Test(
        "A token that raced gets the current one from another process, and after a kill",
        arguments: Interruption.allCases)
    func anyNode(_ interruption: Interruption) throws {
        // No slow machine uses up this grace.
        let first = try InProcessServer { $0["REFRESH_REUSE_GRACE"] = "10m" }
        let login = try first.devLogin("node@example.com")
        first.advanceClock(by: .seconds(3600))
        var tokens = [login.refreshToken]
        for _ in 0..<3 { tokens.append(try first.refresh(tokens[tokens.count - 1]).refreshToken) }
        let server = try interruption.next(after: first)
        server.advanceClock(by: .seconds(500))
        for token in tokens.dropLast() { #expect(try server.refresh(token).refreshToken == tokens[3]) }
        server.advanceClock(by: .seconds(100))
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
    }

    @Test(
        "A thief who refreshes once and then repeats the old token lives no longer than the first answer's access token"
    )
    func thiefOnRepeats() throws {
        let server = try InProcessServer()
        let stolen = try server.devLogin("absent@example.com").refreshToken
        let first = try server.refresh(stolen)
        for round in 1...13 as ClosedRange<Int64> {
            server.advanceClock(by: .seconds(300))
            let again = try server.refresh(stolen)
            #expect(again.refreshToken == first.refreshToken)
            #expect(again.accessClaims["exp"] == first.accessClaims["exp"])
            #expect(try #require(again.json["expiresIn"]?.integer) <= max(0, 900 - 300 * round))
            // Used earlier, it would confirm the refresh.
            if round >= 3 { #expect(try server.me(again.accessToken).code == "access_token_expired") }
        }
    }
}
