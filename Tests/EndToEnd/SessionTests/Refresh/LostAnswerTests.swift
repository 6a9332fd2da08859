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

    @Test("An access token of the generation before confirms nothing", arguments: [Interruption.none, .kill])
    func olderAccessToken(_ interruption: Interruption) throws {
        let first = try InProcessServer()
        let login = try first.devLogin("older@example.com")
        // Not those of the login, which confirm nothing at all.
        let own = try first.refresh(login.refreshToken)
        let lost = try first.refresh(own.refreshToken)
        #expect(try first.me(own.accessToken).status == 200)
        if interruption != .none { try first.runMaintenance() }
        let server = try interruption.next(after: first)
        server.advanceClock(by: Self.hour)
        #expect(try server.refresh(own.refreshToken).refreshToken == lost.refreshToken)
    }
}
