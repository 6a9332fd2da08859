import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX

struct RestoreCommand: Command {
    let words = ["restore"]
    let summary = "Replace the database by a backup, and keep the old database."
    let discussion = """
        Reads DATABASE_URL. No server may run on the database; a server that starts meanwhile waits. FILE is verified first and
        updated to the schema of this version. The old database is kept beside it, under the name that is printed.

        Changes since the backup are undone. Users whose sessions were refreshed since have to sign in; sessions that ended
        since are active again, and so are users who were disabled or deleted since. If the old database can be read, their
        numbers are printed. --end-sessions ends every session instead, so that every user has to sign in.

        Exits 1 if FILE is damaged, not a database of Gatehouse or newer than this version, or if the database is open;
        3 if something failed. The database is unchanged then, unless the message says to run the command again.

        For a database on a PostgreSQL server it exits 2: a base backup is restored there, up to a point in time.

        FILE may be `-` for standard input. Root works as the owner of the database, but opens FILE itself if only root can
        have written it.
        """
    let parameters = ["FILE"]
    let options = [
        Option(name: "--end-sessions", help: "end every active session of FILE"), .json,
    ]

    /// The tools for a database on a server.
    private static let forServer =
        "restore a base backup to a point in time, or a dump with pg_restore; Backups.md describes both"

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        if arguments.positional[0] == "-", Terminal.isAttached {
            throw CommandError(.usage, "standard input (-) is a terminal: gatehouse restore - <FILE")
        }
        let (owner, file) = (try DatabaseOwner.ofConfigured(otherwise: Self.forServer), arguments.positional[0])
        do {
            let source = try Self.open(file, thenWorkingAs: owner)
            let restore = Restore(
                of: owner.path, from: source, now: Platform.system.now(), operatorName: owner.operatorName)
            let restored = try ProgressLine.showing { progress in
                try restore.run(endingSessions: arguments.has("--end-sessions"), progress: progress)
            }
            restored.report(from: file).print(for: arguments)
            return .done
        } catch let fault as CommandError {
            throw fault
        } catch let refusal as RestoreRefusal {
            throw CommandError(.no, "nothing was restored: \(refusal)")
        } catch let fault as DatabaseFault {
            throw CommandError(.no, "nothing was restored: \(file): \(fault); use another backup")
        } catch {
            let rest =
                Restore.isInterrupted(owner.path)
                ? "; the database cannot be opened until you run this command again" : ""
            throw CommandError(.failed, "nothing was restored: \(error)\(rest)")
        }
    }

    /// Opens the backup and drops the privileges of root. Root opens a file that only root can have written. The owner
    /// opens any other file, so that no user can make root read a file of root.
    private static func open(_ file: String, thenWorkingAs owner: DatabaseOwner) throws -> RestoreSource {
        guard file != "-" else {
            try owner.giveUpRoot()
            return try RestoreSource(readingStandardInput: ())
        }
        guard owner.replacesRoot else {
            try owner.giveUpRoot()
            return try RestoreSource(openingFile: file)
        }
        if (try? PathOwner.ofPlace(at: file)) == .root {
            let source = try RestoreSource(openingFile: file)
            try owner.giveUpRoot()
            return source
        }
        let path = owner.reachable(file)
        try owner.giveUpRoot()
        do { return try RestoreSource(openingFile: path) } catch let error as POSIXError where error.isDenied {
            let name = owner.account.name
            throw CommandError(
                .failed,
                "nothing was restored: \(owner.reason), and \(name) may not read \(file.printable): "
                    + "gatehouse restore - <\(path.shellQuoted)".typedAsRoot)
        }
    }
}

extension Restored {
    func report(from file: String) -> Report {
        var lines: [[String?]] = [
            ["restored", path], ["from", file], ["kept", kept], ["users", "\(summary.users)"],
            ["sessions", "\(summary.sessions)"], ["ended", "\(sessionsEnded)"],
            ["latest", summary.latest?.description],
        ]
        lines += migrations.map { ["applied", $0] }
        return Report(json: json(from: file), text: ([Table(lines).text] + warnings).joined(separator: "\n"))
    }

    /// The effects on sessions and users that the operator should know.
    private var warnings: [String] {
        guard let gap else { return [] }
        let revived = sessionsEnded > 0 ? 0 : gap.sessionsRevived
        let behind = sessionsEnded > 0 ? 0 : gap.sessionsBehind
        let effects: [(count: Int64, text: String)] = [
            (revived, "sessions had ended since, and are active again: --end-sessions ends all, sessions revoke some"),
            (behind, "sessions were refreshed since: their users have to sign in"),
            (gap.usersRevived, "users were disabled or deleted since, and are active again"),
            (gap.usersLost, "users were created since, and are lost"),
        ]
        return effects.filter { $0.count > 0 }.map { "note: \($0.count) \($0.text)" }
    }

    private func json(from file: String) -> JSONValue {
        let difference = gap.map { gap -> JSONValue in
            [
                "sessionsRevived": .integer(gap.sessionsRevived), "sessionsBehind": .integer(gap.sessionsBehind),
                "usersRevived": .integer(gap.usersRevived), "usersLost": .integer(gap.usersLost),
            ]
        }
        return [
            "path": .string(path), "from": .string(file), "kept": JSONValue(kept), "users": .integer(summary.users),
            "sessions": .integer(summary.sessions), "sessionsEnded": .integer(Int64(sessionsEnded)),
            "latest": JSONValue(summary.latest?.description), "applied": .array(migrations.map(JSONValue.string)),
            "since": difference ?? .null,
        ]
    }
}
