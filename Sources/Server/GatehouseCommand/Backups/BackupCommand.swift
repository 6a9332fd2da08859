import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX
import Processes

struct BackupCommand: Command {
    let words = ["backup"]
    let summary = "Copy the database and verify the copy; a server may be running."
    let discussion = """
        Reads DATABASE_URL. FILE appears under its name only after all of it was read back from the disk and verified; it is
        a single file that only this user can read. With --keep, FILE is a folder: the backup is named after its time, and
        the oldest backups beyond N are removed. With --keep-for as well, only those older than AGE are removed: the latest
        N stay however old they are, and none younger than AGE is removed. Requests do not wait for a backup. It contains
        everything that was committed before it began.

        FILE may be `-`: the copy is made beside the database, verified, and written to standard output. Root works as the
        owner of the database. To write to a folder that is closed to the owner, redirect the output as root:
        (umask 077; gatehouse backup - >/root/gatehouse.db)

        Exits 1 if FILE exists. Exits 3 and writes no FILE if no valid copy could be made. Data that is sealed with DATA_KEY
        stays sealed: store that key apart from the backups.

        For a database on a PostgreSQL server it exits 2: pg_basebackup and an archive of the write-ahead log do this there.
        """
    let parameters = ["FILE"]
    let options = [
        Option(name: "--keep", value: "N", help: "FILE is a folder: keep its latest N backups"),
        Option(name: "--keep-for", value: "AGE", help: "with --keep: remove no backup younger than this, such as 30d"),
        Option(name: "--force", help: "replace FILE"),
        .json,
    ]

    /// The tools for a database on a server.
    private static let forServer =
        "pg_basebackup and an archive of the write-ahead log, or pg_dump; Backups.md describes both"

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let retention = try Retention(arguments)
        guard arguments.positional[0] != "-" else { return try stream(arguments) }
        let owner = try DatabaseOwner.ofConfigured(otherwise: Self.forServer)
        let path = owner.reachable(arguments.positional[0])
        try owner.giveUpRoot()
        let start = Platform.system.now()
        do {
            let mayReplace = arguments.has("--force")
            try BackupDestination(path: path, isFolder: retention != nil, mayReplace: mayReplace, owner: owner)
                .requireSafe()
            let (backup, removed) = try ProgressLine.showing { progress in
                try make(owner.path, at: path, keeping: retention, replacing: mayReplace, progress)
            }
            recordTime(start, of: retention == nil ? "" : File.resolved(path), in: owner.path)
            backup.report(removed: removed).print(for: arguments)
            return .done
        } catch let fault as CommandError {
            throw fault
        } catch {
            throw CommandError(.failed, "no backup was made at \(path): \(error)")
        }
    }

    /// Writes the backup to standard output, and the report to standard error.
    private func stream(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        try requireStreamable(arguments)
        let owner = try DatabaseOwner.ofConfigured(otherwise: Self.forServer)
        try owner.giveUpRoot()
        let start = Platform.system.now()
        do {
            let backup = try ProgressLine.showing { progress in
                try Backup.write(of: owner.path, to: .output, now: start, progress: progress)
            }
            recordTime(start, in: owner.path)
            backup.report(removed: []).print(for: arguments, on: .error)
            return .done
        } catch {
            throw CommandError(.failed, "no backup was written to standard output: \(error)")
        }
    }

    private func make(
        _ database: String, at path: String, keeping retention: Retention?, replacing: Bool, _ progress: Progress
    ) throws -> (backup: Backup, removed: [String]) {
        if let retention {
            let folder = BackupFolder(path: path)
            return try folder.add(
                database, keeping: retention.count, for: retention.age, now: Platform.system.now, progress: progress)
        }
        let backup = try Backup.make(
            of: database, at: path, replacing: replacing, now: Platform.system.now(), progress: progress)
        guard let backup else {
            throw CommandError(.no, "\(path) exists and was not changed: --force replaces it")
        }
        return (backup, [])
    }

    private func requireStreamable(_ arguments: Arguments) throws(CommandError) {
        guard !arguments.has("--keep"), !arguments.has("--keep-for"), !arguments.has("--force") else {
            throw CommandError(.usage, "standard output (-) cannot be combined with --keep, --keep-for and --force")
        }
        guard !Terminal.showsOutput else {
            throw CommandError(.usage, "standard output (-) is a terminal: gatehouse backup - >FILE")
        }
    }

    /// Records the time and the folder of regular backups for `gatehouse check` and the metrics. The backup is valid without it.
    private func recordTime(_ moment: Timestamp, of folder: String = "", in database: String) {
        do {
            let record = Document(content: Array(folder.utf8), updatedAt: moment)
            try SQLiteStore(besideServerAt: database).keep(record, as: DocumentName.lastBackup)
        } catch {
            let reason = "\(error)".printable
            StandardStream.error.line("The backup is valid, but its time could not be recorded: \(reason)")
        }
    }
}

/// Which backups of a folder are kept.
private struct Retention {
    let count: Int
    /// Nil if only the count decides.
    let age: Duration?

    /// Nil for a single file.
    init?(_ arguments: Arguments) throws(CommandError) {
        guard let text = arguments.value("--keep") else {
            guard !arguments.has("--keep-for") else { throw CommandError(.usage, "--keep-for needs --keep N") }
            return nil
        }
        guard let number = Int(text), (1...100_000).contains(number), !arguments.has("--force") else {
            throw CommandError(.usage, "--keep must be a number from 1 to 100000, without --force")
        }
        let age = arguments.value("--keep-for").map(Duration.init(setting:))
        if case .some(nil) = age { throw CommandError(.usage, "--keep-for must be an age such as 12h or 30d") }
        (count, self.age) = (number, age ?? nil)
    }
}

extension Backup {
    /// - Parameter removed: the names of the older backups that were removed.
    func report(removed: [String]) -> Report {
        var lines: [[String?]] = [
            ["path", path], ["bytes", "\(byteCount)"], ["users", "\(summary.users)"],
            ["sessions", "\(summary.sessions)"], ["latest", summary.latest?.description],
        ]
        lines += removed.map { ["removed", $0] }
        let json: JSONValue = [
            "path": .string(path), "bytes": .integer(byteCount), "users": .integer(summary.users),
            "sessions": .integer(summary.sessions), "latest": JSONValue(summary.latest?.description),
            "schema": .integer(Int64(summary.schema)), "removed": .array(removed.map(JSONValue.string)),
        ]
        return Report(json: json, text: Table(lines).text)
    }
}

/// The path that a backup is written to. Refuses a path that is not writable or not safe, and
/// suggests a command that works.
struct BackupDestination {
    let path: String
    /// Whether the path is a folder of backups instead of the backup itself.
    let isFolder: Bool
    /// Whether an existing file may be replaced.
    let mayReplace: Bool
    let owner: DatabaseOwner

    private var folder: String { isFolder ? path : File.folder(of: path) }

    /// Must be called after the privileges of root were dropped.
    func requireSafe() throws(CommandError) {
        if owner.replacesRoot, File.isDeniedFolder(folder) { throw closedToOwner }
        if Privileges.isRoot { try requireFolderOfRoot() }
    }

    /// The command runs as the owner of the database, who may not write there.
    private var closedToOwner: CommandError {
        let name = owner.account.name
        let reason = "\(owner.reason), and \(name) may not write to "
        return error(reason + "\(folder.printable): " + (isFolder ? folderAdvice : redirection))
    }

    private var redirection: String {
        // Without -C, the shell would replace an existing file.
        let line = "umask 077; \(mayReplace ? "" : "set -C; ")gatehouse backup - >\(path.shellQuoted)"
        return OperatorName.isUnderSudo ? line.typedAsRoot : "(\(line))"
    }

    private var folderAdvice: String {
        let sudo = OperatorName.isUnderSudo ? "sudo " : ""
        let install = "\(sudo)install -d -o \(owner.account.name) -g \(owner.nameOfGroup) -m 700 "
        guard File.isDenied(path) else { return install + path.shellQuoted }
        return install + "/var/backups/gatehouse, and use that folder: a parent of this one is closed to the owner"
    }

    /// If root owns the database, the command keeps running as root. Another user who controls the folder could then
    /// redirect the write.
    private func requireFolderOfRoot() throws(CommandError) {
        let found: PathOwner
        do throws(PathOwner.Fault) {
            found = isFolder ? try PathOwner.ofFolder(at: path) : try PathOwner.ofPlace(at: path)
        } catch {
            throw self.error("\(error)")
        }
        guard !found.isRoot else { return }
        let name = UserDatabase.ofThisMachine().account(of: found.user).name
        let advice =
            isFolder
            ? "use a folder of root: install -d -m 700 /var/backups/gatehouse"
            : "gatehouse backup - | runuser -u \(name) -- "
                + "sh -c \("umask 077; cat >\(path.shellQuoted)".shellQuoted)"
        throw error("root owns the database, and \(name) controls what is at \(path.printable): \(advice)")
    }

    private func error(_ reason: String) -> CommandError {
        CommandError(.failed, "no backup was made at \(path.printable): \(reason)")
    }
}
