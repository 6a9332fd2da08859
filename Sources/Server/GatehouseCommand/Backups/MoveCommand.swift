import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseStore
import JSON
import POSIX

struct MoveCommand: Command {
    let words = ["move"]
    let summary = "Copy the database from SQLite to PostgreSQL, or back. No user has to sign in again."
    let discussion = """
        URL names the new database, in the form of DATABASE_URL. It must be empty; it need not exist as a file. The source is
        the database of DATABASE_URL, or that of --from: another URL, or a file that gatehouse backup has made. No server may
        run on either of them. The source is not changed.

        All users, sessions, keys and tasks are copied, read back and compared. Until the copy is verified, no command uses the
        new database. If the command fails or is killed, run it again: it begins anew. Afterwards set DATABASE_URL to the new
        database, keep the secrets, and start the server.

        Exits 1 if nothing was moved: a server is running, the new database is not empty, or the source has a row that
        PostgreSQL cannot store, such as a text with a zero byte. Exits 3 if something failed. A password belongs in a .pgpass
        file or in PGPASSWORD, since other users can see the arguments of a command.

        Root works as the owner of the SQLite database.
        """
    let options = [
        Option(name: "--to", value: "URL", help: "the new database: postgresql://… or sqlite:PATH", isRequired: true),
        Option(name: "--from", value: "URL|FILE", help: "the source, if it is not the database of DATABASE_URL"), .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        let route = try MoveRoute(arguments)
        PasswordFile.keep(for: route.owner)
        try route.owner.giveUpRoot()
        let stopwatch = Stopwatch()
        do {
            let moved = try ProgressLine.showing { progress in try route.run(progress) }
            moved.report(seconds: stopwatch.nanoseconds / 1_000_000_000).print(for: arguments)
            return .done
        } catch let refusal as MoveRefusal {
            throw CommandError(.no, "nothing was moved: \(refusal)")
        } catch {
            throw CommandError(.failed, "the move was not finished: \(error); run it again when this is corrected")
        }
    }
}

/// The two databases of a move. One of them is a file.
private struct MoveRoute {
    enum Direction {
        case toServer(url: String, isBackup: Bool)
        case toFile(fromServer: String)
    }

    let direction: Direction
    /// The owner of the file.
    let owner: DatabaseOwner

    init(_ arguments: Arguments) throws(CommandError) {
        guard let target = DatabaseAddress(arguments.value("--to") ?? "") else {
            throw CommandError(.usage, "--to must be postgresql://… or sqlite:PATH")
        }
        let (source, isBackup) = try Self.source(arguments.value("--from"))
        switch (source, target) {
        case (.sqlite(let path), .postgresql(let url)):
            owner = try DatabaseOwner(of: path)
            direction = .toServer(url: url, isBackup: isBackup)
        case (.postgresql(let url), .sqlite(let path)):
            owner = try DatabaseOwner(of: path)
            direction = .toFile(fromServer: url)
        case (.sqlite, .sqlite):
            throw CommandError(.usage, "both databases are SQLite files: use gatehouse backup and gatehouse restore")
        case (.postgresql, .postgresql):
            throw CommandError(.usage, "both databases are on PostgreSQL servers: use pg_dump and pg_restore")
        }
    }

    /// An address, or the path of a backup.
    private static func source(_ text: String?) throws(CommandError) -> (DatabaseAddress, isBackup: Bool) {
        guard let text else {
            return (
                try readSettings { () throws(SettingFaults) in try Configuration.database(from: .current()) }, false
            )
        }
        if let address = DatabaseAddress(text) { return (address, false) }
        guard !text.isEmpty, !text.contains("://") else {
            throw CommandError(.usage, "--from must be postgresql://…, sqlite:PATH or the path of a backup")
        }
        return (.sqlite(path: text), true)
    }

    func run(_ progress: Progress) throws -> Moved {
        switch direction {
        case .toServer(let url, let isBackup):
            let source = try SQLiteMoveSource(path: owner.path, isBackup: isBackup, progress)
            let target = try PostgreSQLMoveTarget(url: url, source: source.name, progress)
            return try Move(from: source, to: target, progress: progress).run()
        case .toFile(let url):
            let target = try SQLiteMoveTarget(path: owner.path)
            let source = try PostgreSQLMoveSource(url: url, progress)
            return try Move(from: source, to: target, progress: progress).run()
        }
    }
}

extension Moved {
    fileprivate func report(seconds: Int) -> Report {
        let json: JSONValue = [
            "users": .integer(users), "sessions": .integer(sessions), "rows": .integer(rows),
            "seconds": .integer(Int64(seconds)),
        ]
        return Report(
            json: json,
            text: """
                moved \(users) users and \(sessions) sessions in \(seconds) s (\(rows) rows, read back and compared)
                next: set DATABASE_URL to the new database, and start the server
                """)
    }
}
