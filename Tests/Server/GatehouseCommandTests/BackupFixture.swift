import Foundation
import GatehouseStore
import SQL
import SQLite
import TestSupport

/// A closed database in a folder of its own, and the commands for it.
struct BackupFixture {
    let tool: Tool
    /// The path of the database.
    let home: String
    var database: String { home + "/gatehouse.db" }
    var environment: [String: String] { ["DATABASE_URL": "sqlite:" + database, "PATH": "/usr/bin:/bin:/usr/sbin"] }

    init(users: [String] = ["ann", "bob"]) throws {
        tool = try Tool()
        home = tool.folder.file("home")
        try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        try add(users)
    }

    func file(_ name: String) -> String { tool.folder.file(name) }

    func add(_ users: [String]) throws { try Self.add(users, to: database) }

    /// Creates users with a session each, and closes the database.
    static func add(_ users: [String], to path: String) throws {
        let registry = Registry(tool: try Tool(), store: try SQLiteStore(path: path))
        for name in users { try registry.add(name) }
    }

    func run(_ words: String..., through wrapper: [String] = []) throws -> Shell.Outcome {
        try run(words, through: wrapper)
    }

    func run(_ words: [String], through wrapper: [String] = []) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "60"] + wrapper + [Executable.gatehouse] + words, environment: environment)
    }

    /// Makes a backup in another folder.
    func backUp(_ name: String = "good.db") throws -> String {
        let outcome = try run("backup", file(name))
        guard outcome.status == 0 else { throw Spawn.Failure(description: outcome.errorOutput) }
        return file(name)
    }

    /// The users in a database.
    static func users(in path: String) throws -> [String] {
        let connection = try Connection(path: path, access: .readOnly)
        return try connection.all("SELECT substr(id, 6) FROM users WHERE status <> 'DELETED' ORDER BY id") {
            $0.text(0)
        }
    }

    func users() throws -> [String] { try Self.users(in: database) }

    /// The files in the folder of the database, without the lock and the revocation counter, which stay.
    func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: home).sorted()
            .filter { !$0.hasSuffix("-lock") && !$0.hasSuffix("-sign") }
    }

    /// The old database after a restore.
    func kept() throws -> [String] {
        try names().filter { $0.contains("-before-") && $0.hasSuffix("Z") }.map { home + "/" + $0 }
    }

    /// Overwrites a part of a file.
    static func damage(_ path: String, at offset: UInt64, count: Int = 4096) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: Data(repeating: 0xAA, count: count))
        try handle.close()
    }
}

/// A database with an older schema.
enum OldSchema {
    static func make(at path: String) throws {
        let migrations = Executable.root + "/Sources/Server/GatehouseStore/Migrations/SQLite/"
        let connection = try Connection(path: path, access: .readWrite)
        for step in try FileManager.default.contentsOfDirectory(atPath: migrations).sorted().prefix(3) {
            try connection.execute(script: String(contentsOfFile: migrations + step, encoding: .utf8))
        }
        try connection.execute(
            script: """
                PRAGMA user_version = 3;
                INSERT INTO users (id, created_at, updated_at) VALUES ('user_old', 1, 1);
                """)
    }
}
