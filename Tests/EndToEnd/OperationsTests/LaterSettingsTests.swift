import Foundation
import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// After a return to the version before, its program meets settings of the later one.
@Suite("Settings of a later version")
struct LaterSettingsTests {
    private let configured: ServerWithConfigurationFile
    private var server: ServerProcess { configured.server }

    init() throws { configured = try ServerWithConfigurationFile() }

    private var database: TestDatabase { TestDatabase(url: configured.databaseURL) }

    private func stop() {
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
    }

    /// Leaves these names in the database, as a later version does.
    private func leave(_ names: String...) throws {
        let store = try database.storeBesideServers()
        let kept = try #require(try store.document("setting_names"))
        let content = kept.content + names.map { "\n" + $0 }.joined().utf8
        try store.keep(Document(content: content, updatedAt: kept.updatedAt), as: "setting_names")
    }

    /// As a later version does that this one can go on after.
    private func migrateFurther() throws {
        let later = TestDatabase.isOnServer ? "version = version + 1, usable_by = version" : "usable_by = 1"
        try database.execute("UPDATE gatehouse_schema SET \(later)")
        guard !TestDatabase.isOnServer else { return }
        let version = try database.number("PRAGMA user_version")
        try database.execute("PRAGMA user_version = \(version + 1)")
    }

    @Test("A name that another version has left in the database is passed over with a warning; a typo stays a fault")
    func left() throws {
        let login = try server.devLogin("ada@example.com")
        stop()
        try configured.write(["SHOE_SIZE": "43"])
        #expect(try server.refusedStart().status == 2, "no version has used the database that knows it")
        // The second one resembles a setting of this version.
        try leave("SHOE_SIZE", "JWT_REFRESH_SECRETS", "APPLE_BUNDLE_IDS", "LACES")
        let receivers = try TemporaryFolder()
        let receiver = "URL=http://127.0.0.1:1/\nSECRET=\(EventReceiverProcess.secret)\nLACES=2\n"
        try receiver.write(toFile: receivers.file("a.conf"), atomically: true, encoding: .utf8)
        try configured.write([
            "SHOE_SIZE": "43", "JWT_REFRESH_SECRETS": "not-to-be-shown", "APPLE_BUNDLE_IDS_FILE": "/nowhere",
            "RECEIVERS_DIR": receivers.path,
        ])
        try server.restart()
        #expect(server.process.log.contains("sets SHOE_SIZE, which this version ignores"), "\(server.process.log)")
        #expect(server.process.log.contains("/a.conf:3 sets LACES, which"), "\(server.process.log)")
        #expect(!server.process.log.contains("not-to-be-shown"))
        #expect(try server.refresh(login.refreshToken).status == 200)
        let reloaded = configured.reload()
        #expect(reloaded.contains("\"reloaded\""), "\(reloaded)")
        #expect(reloaded.contains("sets JWT_REFRESH_SECRETS, which"), "\(reloaded)")
        for typo in ["TOKEN_ISUER", "SHOE_SIZES", "PATH"] + Self.misplaced {
            #expect(try configured.reload(["SHOE_SIZE": "43", typo: "x"]).contains("\"reload_refused\""), "\(typo)")
        }
        stop()
        let (status, log) = try server.refusedStart()
        #expect(status == 2 && log.contains("sets an unknown setting") && !log.contains("SHOE_SIZE"), "\(log)")
    }

    /// Settings of the files of providers and receivers, which this version has left in the database as well.
    private static let misplaced = ["REQUIRE", "NONCE", "CLIENT_SECRET", "CLIENT_SECRET_FILE", "TYPES"]

    @Test("A setting of this version in a file of another kind stays a fault: in a provider's file as well")
    func misplaced() throws {
        let folder = try TemporaryFolder()
        let provider = "KIND=google\nAUDIENCE=com.example.app\n"
        for line in ["", "TYPES=account.deleted\n", "SECRET=\(EventReceiverProcess.secret)\n", "PUBLIC_URL=http://a\n"]
        {
            try (provider + line).write(toFile: folder.file("a.conf"), atomically: true, encoding: .utf8)
            let event = line.isEmpty ? "\"reloaded\"" : "\"reload_refused\""
            let log = try configured.reload(["PROVIDERS_DIR": folder.path])
            #expect(log.contains(event), "\(line) \(log)")
        }
    }

    @Test("On the schema of a later version, a name that resembles no setting is passed over and not shown")
    func migrated() throws {
        let login = try server.devLogin("ada@example.com")
        stop()
        try migrateFurther()
        try configured.write(["SHOE_SIZE": "43"])
        try server.restart()
        let log = server.process.log
        #expect(log.contains("sets an unknown setting, which this version ignores"), "\(log)")
        #expect(!log.contains("SHOE_SIZE"))
        #expect(try server.refresh(login.refreshToken).status == 200)
        stop()
        try configured.write(["SHOE_SIZE": "43", "TYPES": "x"])
        #expect(try server.refusedStart().status == 2)
        try configured.write(["SHOE_SIZE": "43", "TOKEN_ISUER": "x"])
        let (status, refusal) = try server.refusedStart()
        #expect(status == 2 && refusal.contains("did you mean TOKEN_ISSUER?"), "\(refusal)")
    }

    @Test(
        "A database that cannot say whether another version knows the name is no reason to give up: exit status 3",
        .enabled(if: TestDatabase.isOnServer))
    func unreachable() throws {
        stop()
        try configured.write(["SHOE_SIZE": "43", "DATABASE_URL": "postgresql://127.0.0.1:1/gatehouse?user=gatehouse"])
        let (status, log) = try server.refusedStart()
        #expect(status == 3 && log.contains("cannot say whether another version knows"), "\(log)")
    }
}
