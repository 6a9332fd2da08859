import Foundation
import StoreSupport
import TestSupport
import Testing

/// An empty database in place of one that is missing would sign every user out.
@Suite("A missing database", .enabled(if: !TestDatabase.isOnServer, "about a file"))
struct MissingDatabaseTests {
    private func stop(_ installation: FastCGIInstallation) {
        installation.process.signal(SIGTERM)
        #expect(installation.process.wait() == 0)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func remove(_ paths: String...) throws {
        for path in paths where exists(path) { try FileManager.default.removeItem(atPath: path) }
    }

    private func migrate(_ installation: FastCGIInstallation, _ mark: String?, _ words: String...) throws
        -> Shell.Outcome
    {
        var settings = ["DATABASE_URL": installation.databaseURL]
        settings["DATABASE_MARK"] = mark
        return try Shell.outcome(of: [Executable.gatehouse, "migrate"] + words, environment: settings)
    }

    @Test("A database file that was removed or emptied is not replaced by an empty one", arguments: [false, true])
    func removed(isEmptied: Bool) throws {
        let installation = try FastCGIInstallation()
        stop(installation)
        try remove(installation.database)
        if isEmptied { try "".write(toFile: installation.database, atomically: false, encoding: .utf8) }
        let (status, log) = try installation.refusedStart()
        #expect(status == 3)
        #expect(log.contains("\(installation.database) is missing or empty, but there was one"), "\(log)")
        #expect(log.contains("gatehouse migrate --create"))
        #expect(exists(installation.database) == isEmptied, "nothing was created")
        let refused = try migrate(installation, nil)
        #expect(refused.status == 3 && refused.errorOutput.contains("migrate --create"), "\(refused.errorOutput)")
        #expect(try migrate(installation, nil, "--create").status == 0)
        try installation.restart()
        #expect(try installation.devLogin("ada@example.com").status == 200)
    }

    @Test("A log that a killed server left without its database is kept, and is named")
    func logAlone() throws {
        let installation = try FastCGIInstallation()
        #expect(try installation.devLogin("ada@example.com").status == 200)
        installation.process.signal(SIGKILL)
        _ = installation.process.wait()
        try remove(installation.database, installation.database + "-sign")
        let (status, log) = try installation.refusedStart()
        #expect(status == 3 && log.contains("there was one (\(installation.database)-wal)"), "\(log)")
        #expect(exists(installation.database + "-wal"))
    }

    @Test("A server records outside of the folder that there is a database, and then a start creates none")
    func mark() throws {
        let folder = try TemporaryFolder()
        let mark = folder.file("mark")
        let installation = try FastCGIInstallation { $0["DATABASE_MARK"] = mark }
        #expect(exists(mark))
        stop(installation)
        // As if the folder were empty because its disk is not mounted.
        for suffix in ["", "-sign", "-lock"] { try remove(installation.database + suffix) }
        let (status, log) = try installation.refusedStart()
        #expect(status == 3 && log.contains("there was one (\(mark))"), "\(log)")
        let other = installation.folder.file("other.db")
        #expect(try installation.refusedStart { $0["DATABASE_URL"] = "sqlite:" + other }.status == 3)
        #expect(!exists(installation.database) && !exists(other))
        #expect(try migrate(installation, mark).status == 3)
        #expect(try migrate(installation, mark, "--create").status == 0)
        try installation.restart()
    }

    @Test("The mark may lie beside the configuration file, where the package's unit writes it")
    func besideConfiguration() throws {
        let configured = try ConfiguredInstallation()
        let installation = configured.installation
        let mark = configured.file.replacingOccurrences(of: "gatehouse.conf", with: "database_mark")
        #expect(!exists(mark), "the server does not write there by itself")
        stop(installation)
        try configured.write(["DATABASE_URL": "sqlite:" + installation.folder.file("new.db")])
        try installation.restart()
        stop(installation)
        try "".write(toFile: mark, atomically: false, encoding: .utf8)
        try configured.write(["DATABASE_URL": "sqlite:" + installation.folder.file("newer.db")])
        let (status, log) = try installation.refusedStart()
        #expect(status == 3 && log.contains("there was one (\(mark))"), "\(log)")
    }

    @Test("A mark that cannot be written is a warning")
    func unwritableMark() throws {
        let installation = try FastCGIInstallation { $0["DATABASE_MARK"] = "/nowhere/at/all/mark" }
        #expect(try installation.devLogin("ada@example.com").status == 200)
        #expect(installation.process.log.contains("DATABASE_MARK cannot be written"))
    }

    @Test("gatehouse check reports a missing database that was there, and what to save of it")
    func check() throws {
        let folder = try TemporaryFolder()
        let mark = folder.file("mark")
        let installation = try FastCGIInstallation { $0["DATABASE_MARK"] = mark }
        for suffix in ["", "-wal", "-shm", "-sign", "-lock"] { try remove(installation.database + suffix) }
        let settings = ["DATABASE_URL": installation.databaseURL, "DATABASE_MARK": mark]
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "check", "--offline"], environment: settings)
        #expect(outcome.text.contains("does not exist or is empty, but there was one (\(mark))"), "\(outcome.text)")
        #expect(outcome.text.contains("\(installation.database)-wal open, and both are needed"))
    }
}
