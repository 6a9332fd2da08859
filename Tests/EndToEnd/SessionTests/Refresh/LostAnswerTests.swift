import JSON
import Testing

@testable import ServerSupport

/// What happens between the loss of an answer and the next request of the app.
enum Interruption: CaseIterable {
    case none
    /// The process writes its pending changes, and another one starts.
    case restart
    /// What the process has not written is lost.
    case kill
    /// The next request is answered by another process on the same database.
    case otherProcess

    func next(after server: InProcessServer) throws -> InProcessServer {
        switch self {
        case .none: return server
        case .restart: try server.runMaintenance()
        case .kill: break
        case .otherProcess: return try InProcessServer(beside: server)
        }
        try server.restart()
        return server
    }
}

@Suite("Lost answers, hours later")
struct LostAnswerTests {
    private static let hour = Duration.seconds(3600)

    @Test("An app that comes back after 8 hours goes on with the tokens that it lost", arguments: Interruption.allCases)
    func hoursLater(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        let login = try first.devLogin("night@example.com")
        let lost = try first.refresh(login.refreshToken)
        first.advanceClock(by: Self.hour * 8)
        let server = try interruption.next(after: first)
        let again = try server.refresh(login.refreshToken)
        #expect(again.status == 200)
        #expect(again.refreshToken == lost.refreshToken)
        // A repeat gives no new lifetime, its successor does.
        #expect(again.json["expiresIn"]?.integer == 0)
        #expect(try server.me(again.accessToken).code == "access_token_expired")
        let next = try server.refresh(again.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
    }

    @Test(
        "An app that loses the answer twice, and again after the next refresh, goes on",
        arguments: Interruption.allCases)
    func twice(_ interruption: Interruption) throws {
        var server = try InProcessServer()
        var token = try server.devLogin("twice@example.com").refreshToken
        for generation in 2...4 as ClosedRange<Int64> {
            for _ in 0..<2 {
                #expect(try server.refresh(token).generation == generation)
                server.advanceClock(by: Self.hour * 8)
                server = try interruption.next(after: server)
            }
            let next = try server.refresh(token)
            #expect(next.generation == generation)
            token = next.refreshToken
        }
    }

    @Test("An answer can be repeated after the expiry of the token that it replaced")
    func afterExpiry() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "10d" }
        let login = try server.devLogin("expiry@example.com")
        server.advanceClock(by: Self.hour * 24 * 9)
        let lost = try server.refresh(login.refreshToken)
        server.advanceClock(by: Self.hour * 24 * 9)
        #expect(try server.refresh(login.refreshToken).refreshToken == lost.refreshToken)
        server.advanceClock(by: Self.hour * 24)
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_expired")
    }

    @Test("An owner who was away until the old token expired finds a thief who has gone on refreshing")
    func thiefWhileAway() throws {
        let server = try InProcessServer { $0["REFRESH_TOKEN_TTL"] = "10d" }
        let login = try server.devLogin("away@example.com")
        var stolen = login.refreshToken
        for _ in 0..<3 {
            server.advanceClock(by: Self.hour * 24 * 5)
            stolen = try server.refresh(stolen).refreshToken
        }
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try server.refresh(stolen).code == "refresh_token_reused")
    }

    @Test("REFRESH_LOST_ANSWER limits the time in which an unused answer can be repeated")
    func limit() throws {
        let server = try InProcessServer { $0["REFRESH_LOST_ANSWER"] = "1h" }
        let login = try server.devLogin("limit@example.com")
        let lost = try server.refresh(login.refreshToken)
        server.advanceClock(by: Self.hour)
        #expect(try server.refresh(login.refreshToken).refreshToken == lost.refreshToken)
        server.advanceClock(by: .seconds(31))
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
    }

    @Test(
        "A thief with the old token is found once the owner has used the new tokens", arguments: Interruption.allCases)
    func thiefAfterTheOwner(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        let login = try first.devLogin("owner@example.com")
        let owner = try first.refresh(login.refreshToken)
        #expect(try first.verify(owner.accessToken).status == 204)
        // A confirmation reaches the database with the next maintenance.
        if interruption != .none { try first.runMaintenance() }
        first.advanceClock(by: .seconds(31))
        let server = try interruption.next(after: first)
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try server.refresh(owner.refreshToken).code == "refresh_token_reused")
        #expect(try server.me(owner.accessToken).code == "session_revoked")
    }

    @Test(
        "A thief who comes before the owner's next request is found when both have used the new tokens",
        arguments: Interruption.allCases)
    func thiefBeforeTheOwner(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        let login = try first.devLogin("follower@example.com")
        let owner = try first.refresh(login.refreshToken)
        first.advanceClock(by: .seconds(600))
        let server = try interruption.next(after: first)
        let thief = try server.refresh(login.refreshToken)
        #expect(thief.refreshToken == owner.refreshToken)
        let next = try server.refresh(thief.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
        server.advanceClock(by: .seconds(600))
        #expect(try server.refresh(owner.refreshToken).code == "refresh_token_reused")
        #expect(try server.me(next.accessToken).code == "session_revoked")
    }

    @Test("An access token of the generation before confirms nothing", arguments: Interruption.allCases)
    func olderAccessToken(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        let login = try first.devLogin("older@example.com")
        let lost = try first.refresh(login.refreshToken)
        #expect(try first.me(login.accessToken).status == 200)
        try first.runMaintenance()
        let server = try interruption.next(after: first)
        server.advanceClock(by: Self.hour)
        #expect(try server.refresh(login.refreshToken).refreshToken == lost.refreshToken)
    }

    @Test("A confirmation that a kill loses makes the server more lenient, and ends no session")
    func lostConfirmation() throws {
        let server = try InProcessServer()
        let login = try server.devLogin("lenient@example.com")
        let next = try server.refresh(login.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
        try server.restart()
        server.advanceClock(by: .seconds(31))
        #expect(try server.refresh(login.refreshToken).refreshToken == next.refreshToken)
        #expect(try server.me(next.accessToken).status == 200)
        server.advanceClock(by: .seconds(31))
        #expect(try server.refresh(login.refreshToken).code == "refresh_token_reused")
    }
}
