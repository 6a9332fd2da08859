import JSON
import Testing

/// What happens between the loss of an answer and the next request of the app.
enum Interruption: CaseIterable {
    case none
    /// The process writes what it has to write, and another one starts.
    case restart
    /// What the process has not written is lost.
    case kill
    /// The next request is answered by another process on the same database.
    case otherProcess

    func next(after installation: InProcessInstallation) throws -> InProcessInstallation {
        switch self {
        case .none: return installation
        case .restart: try installation.runMaintenance()
        case .kill: break
        case .otherProcess: return try InProcessInstallation(beside: installation)
        }
        try installation.restart()
        return installation
    }
}

@Suite("Lost answers, hours later")
struct LostAnswerTests {
    private static let hour = Duration.seconds(3600)

    @Test("An app that comes back after 8 hours goes on with the tokens that it lost", arguments: Interruption.allCases)
    func hoursLater(_ interruption: Interruption) throws {
        let first = try InProcessInstallation()
        let login = try first.devLogin("night@example.com")
        let lost = try first.refresh(login.refreshToken)
        first.advanceClock(by: Self.hour * 8)
        let installation = try interruption.next(after: first)
        let again = try installation.refresh(login.refreshToken)
        #expect(again.status == 200)
        #expect(again.refreshToken == lost.refreshToken)
        // A repeat gives no new lifetime, its successor does.
        #expect(again.json["expiresIn"]?.integer == 0)
        #expect(try installation.me(again.accessToken).code == "access_token_expired")
        let next = try installation.refresh(again.refreshToken)
        #expect(try installation.me(next.accessToken).status == 200)
    }

    @Test(
        "An app that loses the answer twice, and again after the next refresh, goes on",
        arguments: Interruption.allCases)
    func twice(_ interruption: Interruption) throws {
        var installation = try InProcessInstallation()
        var token = try installation.devLogin("twice@example.com").refreshToken
        for generation in 2...4 as ClosedRange<Int64> {
            for _ in 0..<2 {
                #expect(try installation.refresh(token).generation == generation)
                installation.advanceClock(by: Self.hour * 8)
                installation = try interruption.next(after: installation)
            }
            let next = try installation.refresh(token)
            #expect(next.generation == generation)
            token = next.refreshToken
        }
    }

    @Test("An answer can be repeated after the expiry of the token that it replaced")
    func afterExpiry() throws {
        let installation = try InProcessInstallation { $0["REFRESH_TOKEN_TTL"] = "10d" }
        let login = try installation.devLogin("expiry@example.com")
        installation.advanceClock(by: Self.hour * 24 * 9)
        let lost = try installation.refresh(login.refreshToken)
        installation.advanceClock(by: Self.hour * 24 * 9)
        #expect(try installation.refresh(login.refreshToken).refreshToken == lost.refreshToken)
        installation.advanceClock(by: Self.hour * 24)
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_expired")
    }

    @Test("An owner who was away until the old token expired finds a thief who has gone on refreshing")
    func thiefWhileAway() throws {
        let installation = try InProcessInstallation { $0["REFRESH_TOKEN_TTL"] = "10d" }
        let login = try installation.devLogin("away@example.com")
        var stolen = login.refreshToken
        for _ in 0..<3 {
            installation.advanceClock(by: Self.hour * 24 * 5)
            stolen = try installation.refresh(stolen).refreshToken
        }
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try installation.refresh(stolen).code == "refresh_token_reused")
    }

    @Test("REFRESH_LOST_ANSWER limits the time in which an unused answer can be repeated")
    func limit() throws {
        let installation = try InProcessInstallation { $0["REFRESH_LOST_ANSWER"] = "1h" }
        let login = try installation.devLogin("limit@example.com")
        let lost = try installation.refresh(login.refreshToken)
        installation.advanceClock(by: Self.hour)
        #expect(try installation.refresh(login.refreshToken).refreshToken == lost.refreshToken)
        installation.advanceClock(by: .seconds(31))
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
    }

    @Test(
        "A thief with the old token is found once the owner has used the new tokens", arguments: Interruption.allCases)
    func thiefAfterTheOwner(_ interruption: Interruption) throws {
        let first = try InProcessInstallation()
        let login = try first.devLogin("owner@example.com")
        let owner = try first.refresh(login.refreshToken)
        #expect(try first.verify(owner.accessToken).status == 204)
        // A confirmation reaches the database with the next maintenance.
        if interruption != .none { try first.runMaintenance() }
        first.advanceClock(by: .seconds(31))
        let installation = try interruption.next(after: first)
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
        #expect(try installation.refresh(owner.refreshToken).code == "refresh_token_reused")
        #expect(try installation.me(owner.accessToken).code == "session_revoked")
    }

    @Test(
        "A thief who comes before the owner's next request is found when both have used the new tokens",
        arguments: Interruption.allCases)
    func thiefBeforeTheOwner(_ interruption: Interruption) throws {
        let first = try InProcessInstallation()
        let login = try first.devLogin("follower@example.com")
        let owner = try first.refresh(login.refreshToken)
        first.advanceClock(by: .seconds(600))
        let installation = try interruption.next(after: first)
        let thief = try installation.refresh(login.refreshToken)
        #expect(thief.refreshToken == owner.refreshToken)
        let next = try installation.refresh(thief.refreshToken)
        #expect(try installation.me(next.accessToken).status == 200)
        installation.advanceClock(by: .seconds(600))
        #expect(try installation.refresh(owner.refreshToken).code == "refresh_token_reused")
        #expect(try installation.me(next.accessToken).code == "session_revoked")
    }

    @Test("An access token of the generation before confirms nothing", arguments: Interruption.allCases)
    func olderAccessToken(_ interruption: Interruption) throws {
        let first = try InProcessInstallation()
        let login = try first.devLogin("older@example.com")
        let lost = try first.refresh(login.refreshToken)
        #expect(try first.me(login.accessToken).status == 200)
        try first.runMaintenance()
        let installation = try interruption.next(after: first)
        installation.advanceClock(by: Self.hour)
        #expect(try installation.refresh(login.refreshToken).refreshToken == lost.refreshToken)
    }

    @Test("A confirmation that a kill loses makes the server more lenient, and ends no session")
    func lostConfirmation() throws {
        let installation = try InProcessInstallation()
        let login = try installation.devLogin("lenient@example.com")
        let next = try installation.refresh(login.refreshToken)
        #expect(try installation.me(next.accessToken).status == 200)
        try installation.restart()
        installation.advanceClock(by: .seconds(31))
        #expect(try installation.refresh(login.refreshToken).refreshToken == next.refreshToken)
        #expect(try installation.me(next.accessToken).status == 200)
        installation.advanceClock(by: .seconds(31))
        #expect(try installation.refresh(login.refreshToken).code == "refresh_token_reused")
    }
}
