import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX

struct BackupCommand: Command {
    let words = ["backup"]
    let summary = "Copy the database, beside a server that may be running, and verify the copy."
    let discussion = """
        Reads DATABASE_URL. FILE gets its name when all of it has been read from the disk and found good; it is one file, for
        this user alone. With --keep, FILE is a folder: the backup is named by its time there, and the oldest ones of
        that kind beyond N are removed; with --keep-for as well, of these only what is older than AGE, so that the latest N
        stay however old they are, and nothing younger than AGE goes. Requests do not wait for a backup, and
        everything committed before it began is in it.

        FILE may be `-`: the copy is made beside the database, found good, and written to standard output. Root works as the
        owner of the database; into a folder that the owner may not write to, root redirects that:
        (umask 077; gatehouse backup - >/root/gatehouse.db)

        Exits 1 where FILE is there already, 3 where no good copy could be made; there is no FILE then. What is sealed
        with DATA_KEY stays sealed: keep that key somewhere else than the backups.
        """
    let arguments = ["FILE"]
    let options = [
        Option(name: "--keep", value: "N", help: "FILE is a folder: keep the latest N in it"),
        Option(name: "--keep-for", value: "AGE", help: "with --keep: remove none that is younger, such as 30d"),
        Option(name: "--force", value: nil, help: "replace FILE"),
        .json,
    ]

    func run(_ input: Input) throws(CommandFault) -> ExitStatus {
        let kept = try Keeping(input)
        guard input.arguments[0] != "-" else { return try stream(input) }
        let owner = try DatabaseOwner.ofConfigured()
        let path = owner.reachable(input.arguments[0])
        try owner.takeOver()
        let start = World.real.now()
        do {
            let isReplaced = input.has("--force")
            try BackupPlace(path: path, isFolder: kept != nil, isReplaced: isReplaced, owner: owner).refuseUnsuitable()
            let (backup, removed) = try make(owner.path, at: path, keeping: kept, replacing: isReplaced)
            note(start, in: owner.path)
            backup.report(removed: removed).print(for: input)
            return .done
        } catch let fault as CommandFault {
            throw fault
        } catch {
            throw CommandFault(.failed, "no backup was made at \(path): \(error)")
        }
    }

    /// Writes the backup to standard output, and the report to standard error.
    private func stream(_ input: Input) throws(CommandFault) -> ExitStatus {
        try refuseUnsuitableStream(input)
        let owner = try DatabaseOwner.ofConfigured()
        try owner.takeOver()
        let start = World.real.now()
        do {
            let backup = try Backup.write(of: owner.path, to: .output, now: start)
            note(start, in: owner.path)
            backup.report(removed: []).print(for: input, on: .error)
            return .done
        } catch {
            throw CommandFault(.failed, "no backup was written to standard output: \(error)")
        }
    }

    private func make(
        _ database: String, at path: String, keeping kept: Keeping?, replacing: Bool
    ) throws -> (backup: Backup, removed: [String]) {
        if let kept {
            let folder = BackupFolder(path: path)
            return try folder.add(database, keeping: kept.count, for: kept.age, now: World.real.now)
        }
        guard let backup = try Backup.make(of: database, at: path, replacing: replacing, now: World.real.now()) else {
            throw CommandFault(.no, "\(path) is there already, and was left as it is: --force replaces it")
        }
        return (backup, [])
    }

    private func refuseUnsuitableStream(_ input: Input) throws(CommandFault) {
        guard !input.has("--keep"), !input.has("--keep-for"), !input.has("--force") else {
            throw CommandFault(.usage, "standard output (-) goes without --keep, --keep-for and --force")
        }
        guard !Terminal.showsOutput else {
            throw CommandFault(.usage, "a database is nothing for a terminal: gatehouse backup - >FILE")
        }
    }

    /// For whoever watches that backups are made. The backup is good without it.
    private func note(_ moment: Timestamp, in database: String) {
        do {
            let mark = Document(content: [], updatedAt: moment)
            try SQLiteStore(besideServerAt: database).keep(mark, as: DocumentName.lastBackup)
        } catch {
            let reason = "\(error)".printable
            StandardStream.error.line("The backup is good; that it was made could not be noted: \(reason)")
        }
    }
}

/// Which backups of a folder are kept.
private struct Keeping {
    let count: Int
    /// Nil where the count alone decides.
    let age: Duration?

    /// Nil where a single file is to be written.
    init?(_ input: Input) throws(CommandFault) {
        guard let text = input.value("--keep") else {
            guard !input.has("--keep-for") else { throw CommandFault(.usage, "--keep-for needs --keep N as well") }
            return nil
        }
        guard let number = Int(text), (1...100_000).contains(number), !input.has("--force") else {
            throw CommandFault(.usage, "--keep must be a number from 1 to 100000, and goes without --force")
        }
        let age = input.value("--keep-for").map(Duration.init(setting:))
        if case .some(nil) = age { throw CommandFault(.usage, "--keep-for must be an age such as 12h or 30d") }
        (count, self.age) = (number, age ?? nil)
    }
}
