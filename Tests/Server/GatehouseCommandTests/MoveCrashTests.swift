import Foundation
import TestSupport
import Testing

/// Kills a move before a system call, one run for each of many calls.
@Suite("An interrupted move")
struct MoveCrashTests {
    /// The system calls that reach the server, and those that change files.
    private static let calls = ["sendto", "pwrite64", "fsync", "fdatasync", "unlink", "rename"]

    /// The first and the last calls of each kind, and some between them.
    private func moments(_ count: (String) -> Int) -> [(call: String, number: Int)] {
        Self.calls.flatMap { call in
            let all = count(call)
            let step = max(1, all / 8)
            return (1...max(1, all)).filter { $0 <= all && ($0 <= 3 || $0 > all - 3 || $0 % step == 0) }.map {
                (call, $0)
            }.sampled(every: 4)
        }
    }

    /// The moments of a complete move.
    private func moments(
        _ fixture: MoveFixture, from source: String, to target: String
    ) throws -> [(call: String, number: Int)] {
        let log = fixture.folder.file("calls")
        let strace = ["strace", "-f", "-qq", "-o", log, "-e", "trace=" + Self.calls.joined(separator: ",")]
        try fixture.move(from: source, to: target, through: strace).expect(0)
        let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        return moments { call in lines.filter { $0.contains(" \(call)(") }.count }
    }

    /// Whether an operator's command finds an unfinished move in the database.
    private func isRefused(_ fixture: MoveFixture, _ database: String) throws -> Bool {
        let outcome = try fixture.run("users", "list", on: database)
        return outcome.status == 3 && outcome.errorOutput.contains("a move into the database was not finished")
    }

    /// Runs the move again. It is refused only if the killed one had filled the target.
    private func finish(
        _ fixture: MoveFixture, from source: String, to target: String, _ moment: (call: String, number: Int)
    ) throws {
        let again = try fixture.move(from: source, to: target)
        let isFilled = again.status == 1 && again.errorOutput.contains("the target is not empty")
        #expect(again.status == 0 || isFilled, "\(moment): \(again.errorOutput)")
    }

    @Test("to PostgreSQL is finished by running it again")
    func toServer() throws {
        let model = try MoveFixture()
        let expected = try model.content(of: model.file)
        var refusals = 0
        for moment in try moments(model, from: model.source, to: model.target) {
            let target = try model.server.database()
            let killed = try model.move(
                from: model.source, to: target, through: Killing.at(moment.call, moment.number))
            #expect(killed.status == 137, "\(moment)")
            if try isRefused(model, target) { refusals += 1 }
            try finish(model, from: model.source, to: target, moment)
            let copy = model.folder.file("\(moment.call)-\(moment.number).db")
            #expect(try model.move(from: target, to: "sqlite:" + copy).status == 0, "\(moment)")
            #expect(try model.content(of: copy) == expected, "\(moment)")
        }
        #expect(refusals > (Need.areAllMet ? 3 : 0))
        #expect(try model.content(of: model.file) == expected)
    }

    @Test("to SQLite is finished by running it again")
    func toFile() throws {
        let model = try MoveFixture()
        let expected = try model.content(of: model.file)
        try model.move(from: model.source, to: model.target).expect(0)
        // A move that finds the session of the one before waits for its end, with calls of its own.
        let others = """
            SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()
            """
        #expect(Eventually.holds { (try? model.server.execute(others, in: model.target)) == "0" })
        var refusals = 0
        for moment in try moments(model, from: model.target, to: "sqlite:" + model.folder.file("model.db")) {
            let copy = model.folder.file("\(moment.call)-\(moment.number).db")
            let killed = try model.move(
                from: model.target, to: "sqlite:" + copy, through: Killing.at(moment.call, moment.number))
            #expect(killed.status == 137, "\(moment)")
            if try isRefused(model, "sqlite:" + copy) { refusals += 1 }
            try finish(model, from: model.target, to: "sqlite:" + copy, moment)
            #expect(try model.content(of: copy) == expected, "\(moment)")
            #expect(!FileManager.default.fileExists(atPath: copy + "-moving"), "\(moment)")
        }
        #expect(refusals > (Need.areAllMet ? 3 : 0))
    }
}
