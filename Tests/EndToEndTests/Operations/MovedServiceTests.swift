import JSON
import StoreSupport
import TestSupport
import Testing

/// There is no grace, so an old token is only accepted because its answer was lost.
@Suite("A service that moves to another database")
struct MovedServiceTests {
    private let folder: TemporaryFolder
    private let installation: FastCGIInstallation
    private let first: String

    init() throws {
        folder = try TemporaryFolder()
        let first = "sqlite:" + folder.file("first.db")
        self.first = first
        installation = try FastCGIInstallation {
            $0["DATABASE_URL"] = first
            $0["REFRESH_REUSE_GRACE"] = "0s"
        }
    }

    private func move(from source: String, to target: String) throws {
        installation.process.signal(15)
        #expect(installation.process.wait() == 0)
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "move", "--to", target], environment: ["DATABASE_URL": source])
        #expect(outcome.status == 0, "\(outcome.errorOutput)")
        try installation.restart { $0["DATABASE_URL"] = target }
    }

    @Test("No client has to sign in again, there and back, and who was signed out stays so")
    func thereAndBack() throws {
        var active = try installation.devLogin("active@example.com")
        let before = try installation.devLogin("lost@example.com")
        let lost = try installation.refresh(before.refreshToken)
        let ended = try installation.devLogin("ended@example.com")
        #expect(try installation.send(.post("/api/auth/logout", bearer: ended.accessToken)).status == 204)
        let server = try TemporaryPostgreSQL.shared.get().database()
        for (source, target) in [(first, server), (server, "sqlite:" + folder.file("last.db"))] {
            try move(from: source, to: target)
            #expect(try installation.me(active.accessToken).status == 200)
            #expect(try installation.verify(active.accessToken).status == 204)
            active = try installation.refresh(active.refreshToken)
            #expect(try installation.me(active.accessToken).status == 200)
            let repeated = try installation.refresh(before.refreshToken)
            #expect(repeated.refreshToken == lost.refreshToken && !lost.refreshToken.isEmpty)
            #expect(try installation.verify(ended.accessToken).code == "session_revoked")
            #expect(try installation.me(ended.accessToken).code == "session_revoked")
            #expect(try installation.refresh(ended.refreshToken).code == "refresh_token_revoked")
            #expect(try installation.devLogin("active@example.com").json["isNewUser"] == false)
        }
        #expect(try installation.verify(installation.refresh(lost.refreshToken).accessToken).status == 204)
    }
}
