import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// An empty database in place of one that is missing would sign every user out.
@Suite("A missing database", .enabled(if: !TestDatabase.isOnServer, "about a file"))
struct MissingDatabaseTests {
    private func stop(_ server: ServerProcess) {
        server.process.signal(SIGTERM)
        #expect(server.process.wait() == 0)
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func remove(_ paths: String...) throws {
        for path in paths where exists(path) { try FileManager.default.removeItem(atPath: path) }
    }

    private func migrate(_ server: ServerProcess, _ mark: String?, _ words: String...) throws
        -> Shell.Outcome
    {
        var settings = ["DATABASE_URL": server.databaseURL]
        settings["DATABASE_MARK"] = mark
        return try Shell.outcome(of: [Executable.gatehouse, "migrate"] + words, environment: settings)
    }

    @Test("A database file that was removed or emptied is not replaced by an empty one", arguments: [false, true])
    func removed(isEmptied: Bool) throws {
        let server = try ServerProcess()
        stop(server)
        try remove(server.database)
        if isEmptied { try "".write(toFile: server.database, atomically: false, encoding: .utf8) }
        let (status, log) = try server.refusedStart()
        #expect(status == 3)
        #expect(log.contains("\(server.database) is missing or empty, but there was one"), "\(log)")
        #expect(log.contains("gatehouse migrate --create"))
        #expect(exists(server.database) == isEmptied, "nothing was created")
        let refused = try migrate(server, nil)
        #expect(refused.status == 3 && refused.errorOutput.contains("migrate --create"), "\(refused.errorOutput)")
        #expect(try migrate(server, nil, "--create").status == 0)
        try server.restart()
        #expect(try server.devLogin("ada@example.com").status == 200)
    }

    @Test("A log that a killed server left without its database is kept, and is named")
    func logAlone() throws {
        let server = try ServerProcess()
        #expect(try server.devLogin("ada@example.com").status == 200)
        server.process.signal(SIGKILL)
        _ = server.process.wait()
        try remove(server.database, server.database + "-sign")
        let (status, log) = try server.refusedStart()
        #expect(status == 3 && log.contains("there was one (\(server.database)-wal)"), "\(log)")
        #expect(exists(server.database + "-wal"))
    }

    @Test("A server records outside of the folder that there is a database, and then a start creates none")
    func mark() throws {
        let folder = try TemporaryFolder()
        let mark = folder.file("mark")
        let server = try ServerProcess { $0["DATABASE_MARK"] = mark }
        #expect(exists(mark))
        stop(server)
        // As if the folder were empty because its disk is not mounted.
        for suffix in ["", "-sign", "-lock"] { try remove(server.database + suffix) }
        let (status, log) = try server.refusedStart()
        #expect(status == 3 && log.contains("there was one (\(mark))"), "\(log)")
        let other = server.folder.file("other.db")
        #expect(try server.refusedStart { $0["DATABASE_URL"] = "sqlite:" + other }.status == 3)
        #expect(!exists(server.database) && !exists(other))
        #expect(try migrate(server, mark).status == 3)
        #expect(try migrate(server, mark, "--create").status == 0)
        try server.restart()
    }

    @Test("The mark may lie beside the configuration file, where the package's unit writes it")
    func besideConfiguration() throws {
        let configured = try ServerWithConfigurationFile()
        let server = configured.server
        let mark = configured.path.replacingOccurrences(of: "gatehouse.conf", with: "database_mark")
        #expect(!exists(mark), "the server does not write there by itself")
        stop(server)
        try configured.write(["DATABASE_URL": "sqlite:" + server.folder.file("new.db")])
        try server.restart()
        stop(server)
        try "".write(toFile: mark, atomically: false, encoding: .utf8)
        try configured.write(["DATABASE_URL": "sqlite:" + server.folder.file("newer.db")])
        let (status, log) = try server.refusedStart()
        #expect(status == 3 && log.contains("there was one (\(mark))"), "\(log)")
    }

    @Test("A mark that cannot be written is a warning")
    func unwritableMark() throws {
        let server = try ServerProcess { $0["DATABASE_MARK"] = "/nowhere/at/all/mark" }
        #expect(try server.devLogin("ada@example.com").status == 200)
        #expect(Eventually.holds { server.process.log.contains("DATABASE_MARK cannot be written") })
    }

    @Test("gatehouse check reports a missing database that was there, and the files to save")
    func check() throws {
        let folder = try TemporaryFolder()
        let mark = folder.file("mark")
        let server = try ServerProcess { $0["DATABASE_MARK"] = mark }
        for suffix in ["", "-wal", "-shm", "-sign", "-lock"] { try remove(server.database + suffix) }
        let settings = ["DATABASE_URL": server.databaseURL, "DATABASE_MARK": mark]
        let outcome = try Shell.outcome(
            of: [Executable.gatehouse, "check", "--offline"], environment: settings)
        #expect(outcome.text.contains("does not exist or is empty, but there was one (\(mark))"), "\(outcome.text)")
        #expect(outcome.text.contains("\(server.database)-wal open, and both are needed"))
    }
}
