import Foundation
import TestSupport
import Testing

/// What an operator reads who uses a database into which a move was not finished, and that the advice is right.
@Suite("An unfinished move")
struct UnfinishedMoveTests {
    private let fixture: MoveFixture
    /// The URL of the target of a move from the fixture's file.
    private var target: String { fixture.target }
    private let copy: String
    private let draft: String

    init() throws {
        fixture = try MoveFixture()
        copy = fixture.folder.file("copy.db")
        draft = copy + "-moving"
        try mark(source: fixture.source)
        try Data("unfinished".utf8).write(to: URL(fileURLWithPath: draft))
    }

    private func mark(source: String) throws {
        try fixture.server.execute(
            "DROP TABLE IF EXISTS gatehouse_move; CREATE TABLE gatehouse_move (source TEXT NOT NULL); "
                + "INSERT INTO gatehouse_move VALUES ('\(source)')", in: target)
    }

    private func output(of words: [String], on database: String) throws -> (status: Int32, text: String) {
        let outcome = try Shell.outcome(
            of: ["/usr/bin/timeout", "60", Executable.gatehouse] + words,
            environment: [
                "DATABASE_URL": database, "LISTEN": "unix:" + fixture.folder.file("g.sock"),
                "JWT_ACCESS_SECRET": "an access secret of more than thirty-two bytes",
                "JWT_REFRESH_SECRET": "a refresh secret of more than thirty-two bytes",
                "APPLE_BUNDLE_ID": "com.example.app", "PATH": "/usr/bin:/bin",
            ])
        return (outcome.status, outcome.text + outcome.errorOutput)
    }

    @Test(
        "into PostgreSQL: each command names the move that finishes it",
        arguments: [["serve"], ["migrate"], ["users", "list"], ["move"]])
    func server(words: [String]) throws {
        let other = words == ["move"] ? ["--to", "sqlite:" + fixture.folder.file("other.db")] : []
        let (status, text) = try output(of: words + other, on: target)
        #expect(status == (words[0] == "move" ? 1 : 3), "\(text)")
        #expect(
            text.contains(
                "a move into the database was not finished: run gatehouse move --from \(fixture.source) again, "
                    + "with this database as --to, or drop the table gatehouse_move to give it up"), "\(text)")
        #expect(try output(of: ["move", "--from", fixture.source, "--to", target], on: "sqlite:none.db").status == 0)
        #expect(try output(of: ["users", "list"], on: target).status == 0)
    }

    @Test("into SQLite: each command names the move that finishes it")
    func file() throws {
        let backup = fixture.folder.file("backup.db")
        #expect(try output(of: ["backup", backup], on: fixture.source).status == 0)
        let commands = [["serve"], ["migrate"], ["users", "list"], ["backup", backup + "2"], ["restore", backup]]
        for words in commands {
            let (status, text) = try output(of: words, on: "sqlite:" + copy)
            #expect(status == (words[0] == "restore" ? 1 : 3), "\(words): \(text)")
            #expect(
                text.contains(
                    "a move into the database was not finished: run gatehouse move --to sqlite:\(copy) again, "
                        + "or remove \(draft) to give it up"), "\(words): \(text)")
        }
        try FileManager.default.removeItem(atPath: draft)
        #expect(try output(of: ["restore", backup], on: "sqlite:" + copy).status == 0)
    }

    @Test("is a fault in the report of gatehouse check")
    func check() throws {
        let onServer = try output(of: ["check"], on: target).text
        #expect(
            onServer.contains("FAULT  schema               a move into the database was not finished"), "\(onServer)")
        #expect(onServer.contains("run gatehouse move --from \(fixture.source) again"))
        let onFile = try output(of: ["check"], on: "sqlite:" + copy).text
        #expect(onFile.contains("FAULT  database             a move into the database was not finished"), "\(onFile)")
        #expect(onFile.contains("rm \(draft)*"))
    }

    @Test("from another source is not continued, unless it was given up")
    func otherSource() throws {
        try mark(source: "sqlite:/elsewhere/old.db")
        let (status, text) = try output(of: ["move", "--to", target], on: fixture.source)
        #expect(status == 1)
        #expect(
            text.contains(
                "the target has an unfinished move from sqlite:/elsewhere/old.db, and this one is from \(fixture.source): "
                    + "name the first source with --from, or drop the table gatehouse_move of the target to give it up"),
            "\(text)")
        try fixture.server.execute("DROP TABLE gatehouse_move", in: target)
        #expect(try output(of: ["move", "--to", target], on: fixture.source).status == 0)
    }
}
