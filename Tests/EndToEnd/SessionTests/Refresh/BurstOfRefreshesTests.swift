import JSON
import TestSupport
import Testing

@testable import ServerSupport

@Suite("Refreshes that race")
struct BurstOfRefreshesTests {
    /// With a grace that no slow machine uses up.
    private static func server() throws -> InProcessServer {
        try InProcessServer { $0["REFRESH_REUSE_GRACE"] = "10m" }
    }

    /// Processes that share one store without a lock: each reads the token, refreshes it and saves the answer, a tenth of a
    /// second later than it should. Their steps are interleaved at random.
    private struct Refreshers {
        var stored: String
        var generator: SeededGenerator
        /// What each has read, or has got as an answer and not saved yet.
        var read: [String?] = Array(repeating: nil, count: 5)
        var answered: [String?] = Array(repeating: nil, count: 5)

        /// - Parameter refresh: nil when the server refuses.
        mutating func run(_ steps: Int, refresh: (String) throws -> String?) rethrows -> Bool {
            for _ in 0..<steps {
                let process = read.indices.randomElement(using: &generator) ?? 0
                if let answer = answered[process] {
                    (stored, answered[process], read[process]) = (answer, nil, nil)
                } else if let token = read[process] {
                    guard let answer = try refresh(token) else { return false }
                    answered[process] = answer
                } else {
                    read[process] = stored
                }
            }
            return true
        }
    }

    @Test("Five refreshers that share one store without a lock are never signed out", arguments: Interruption.allCases)
    func fiveRefreshers(_ interruption: Interruption) throws {
        var server = try Self.server()
        for seed in 1...60 as ClosedRange<UInt64> {
            let login = try server.devLogin("burst-\(seed)@example.com")
            // The token was current for longer than the grace when the burst begins.
            server.advanceClock(by: .seconds(3600))
            var refreshers = Refreshers(stored: login.refreshToken, generator: SeededGenerator(seed: seed))
            let isSignedIn = try refreshers.run(40) { token in
                server.advanceClock(by: .milliseconds(100))
                let answer = try server.refresh(token)
                return answer.status == 200 ? answer.refreshToken : nil
            }
            #expect(isSignedIn, "burst \(seed)")
            #expect(try server.refresh(refreshers.stored).status == 200)
            if seed == 30 { server = try interruption.next(after: server) }
        }
    }

    @Test(
        "A token that raced gets the current one from another process, and after a kill",
        arguments: Interruption.allCases)
    func anyNode(_ interruption: Interruption) throws {
        let first = try Self.server()
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
