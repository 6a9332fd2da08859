import Foundation
import TestSupport
import Testing

@testable import ServerSupport

/// A start or a reload with a refresh secret that does not fit the database would sign every user out.
@Suite("A refresh secret that does not fit the database")
struct UnfittingSecretTests {
    private static let other = "another refresh secret of more than thirty-two bytes"

    private func stop(_ server: ServerProcess) {
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
    }

    @Test("A server with a secret that does not fit its database exits 2 and names it; as a previous one it fits")
    func start() throws {
        let server = try ServerProcess()
        let login = try server.devLogin("ada@example.com")
        stop(server)
        let (status, log) = try server.refusedStart { $0["JWT_REFRESH_SECRET"] = Self.other }
        #expect(status == 2)
        #expect(log.contains("JWT_REFRESH_SECRET does not fit the database"), "\(log)")
        #expect(log.contains("gatehouse keys reseal --lost-secret") && !log.contains(Self.other))
        try server.restart {
            $0["JWT_REFRESH_SECRET"] = Self.other
            $0["JWT_REFRESH_SECRET_PREVIOUS"] = TestSettings.refreshSecret
        }
        #expect(try server.refresh(login.refreshToken).status == 200, "nothing was changed")
    }

    @Test(
        "The message names the file of the secret, also if it is missing or empty, and no secret is made",
        arguments: [
            (other, "into @"), (nil, "@ does not exist or is empty: put it back from a backup"),
            ("", "@ does not exist or is empty: put it back from a backup"),
        ] as [(String?, String)])
    func file(content: String?, fault: String) throws {
        let (server, folder) = (try ServerProcess(), try TemporaryFolder())
        stop(server)
        let file = folder.file("jwt_refresh_secret")
        try content?.write(toFile: file, atomically: true, encoding: .utf8)
        let (status, log) = try server.refusedStart {
            $0["JWT_REFRESH_SECRET"] = nil
            $0["CREDENTIALS_DIRECTORY"] = folder.path
        }
        #expect(status == 2 && log.contains(fault.replacing("@", with: file)), "\(log)")
        #expect((try? String(contentsOfFile: file, encoding: .utf8)) == content)
    }

    @Test("A reload with a secret that does not fit the database is refused, and the old one stays in force")
    func reload() throws {
        let configured = try ServerWithConfigurationFile()
        let login = try configured.server.devLogin("ada@example.com")
        let said = try configured.reload(["JWT_REFRESH_SECRET": Self.other])
        #expect(said.contains("\"reload_refused\"") && said.contains("JWT_REFRESH_SECRET does not fit the database"))
        #expect(try configured.server.refresh(login.refreshToken).status == 200)
        let both = ["JWT_REFRESH_SECRET": Self.other, "JWT_REFRESH_SECRET_PREVIOUS": TestSettings.refreshSecret]
        #expect(try configured.reload(both).contains("\"reloaded\""))
        #expect(try configured.reload(["JWT_REFRESH_SECRET": Self.other]).contains("\"reloaded\""))
    }

    @Test("A secret that is lost for good is replaced by a command, and every user signs in again")
    func lost() throws {
        let server = try ServerProcess()
        let login = try server.devLogin("ada@example.com")
        stop(server)
        func accept(_ words: String..., secret: String = Self.other) throws -> Shell.Outcome {
            let settings = ["DATABASE_URL": server.databaseURL, "JWT_REFRESH_SECRET": secret]
            return try Shell.outcome(
                of: [Executable.gatehouse, "keys", "reseal", "--lost-secret"] + words, environment: settings)
        }
        let unasked = try accept()
        #expect(unasked.status == 2 && unasked.errorOutput.contains("--yes"), "\(unasked.text)\(unasked.errorOutput)")
        #expect(try accept("--yes", secret: TestSettings.refreshSecret).text.contains("nothing was changed"))
        #expect(try server.refusedStart { $0["JWT_REFRESH_SECRET"] = Self.other }.status == 2)
        let accepted = try accept("--yes")
        #expect(
            accepted.status == 0 && accepted.text.contains("accepts the refresh secret"),
            "\(accepted.text)\(accepted.errorOutput)")
        try server.restart { $0["JWT_REFRESH_SECRET"] = Self.other }
        #expect(try server.refresh(login.refreshToken).code == "invalid_refresh_token")
        #expect(try server.devLogin("ada@example.com").status == 200)
    }
}
