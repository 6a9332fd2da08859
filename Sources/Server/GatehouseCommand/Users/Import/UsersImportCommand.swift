import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import JSON
import POSIX
import UserFiles

struct UsersImportCommand: Command {
    let words = ["users", "import"]
    let summary = "Create users from a file; a server may be running."
    let discussion = """
        Reads DATABASE_URL. FILE has a JSON object in each line, as gatehouse users export and gatehouse users convert write
        them; - is standard input:

          {"ref": "a1", "identities": [{"provider": "apple", "subject": "001…"}], "email": "a@example.com",
           "emailVerified": true, "phone": "+8613800138000", "nickname": "Ada", "role": "USER", "status": "ACTIVE",
           "createdAt": "2024-05-01T10:00:00Z"}

        Only identities is required, or phone, which stands for an identity of the provider phone. An email address alone is
        no way to sign in: an identity of the provider email is. UserImport.md describes every member.

        An identity that two lines have is a fault of both: FILE is read twice. A line whose identity a user has already
        changes nothing. So an import that was interrupted is run again, and goes on. Each line is imported as a whole or not
        at all. No event is sent to other services for imported users. The audit trail gets one entry for the import, and one
        for each user with another role than USER.

        Exits 1 if lines have faults; the other lines are imported in any case. Messages name the member of a line, and never
        its value. Exits 3 if the database fails, and says which lines are imported.
        """
    let parameters = ["FILE"]
    let options = [
        Option(name: "--dry-run", help: "read the file and the database, and write nothing"),
        Option(name: "--roles", help: "accept roles other than USER"),
        Option(name: "--report", value: "REPORT", help: "a JSON object for each line: its result and the user's id"),
        .json,
    ]

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus {
        // Both files first: root may read and write where the owner of the database may not.
        let path = arguments.positional[0]
        let report = try arguments.value("--report").map { name throws(CommandError) in
            try ImportReport.create(name, besides: path)
        }
        do {
            let file = try InputFile(path).rewindable()
            let database = try ImportDatabase()
            let tally = ImportTally()
            let stopwatch = Stopwatch()
            try ProgressLine.showing { progress in
                tally.show(on: progress, size: file.size)
                var importing = LineImport(
                    database.userImport(writes: !arguments.has("--dry-run")),
                    rules: ImportRules(permitsRoles: arguments.has("--roles"), now: Primitives.system.now()),
                    report: report, tally: tally)
                try importing.run(file)
            }
            tally.report(seconds: stopwatch.nanoseconds / 1_000_000_000, arguments).print(for: arguments)
            return tally.counts.faulty == 0 ? .done : .no
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }
}

/// The database of an import, and what recognises the identities that it must refuse.
private struct ImportDatabase {
    private let administration: Administration
    private let hasher: (any IdentityHasher)?

    init() throws {
        let source = Result { try IdentityHasherSource() }
        let place = try ConfiguredDatabase.read()
        let store = try place.store()
        administration = Administration(
            store: store, now: Primitives.system.now, operatorName: place.operatorName)
        hasher = try store.hasBarredIdentities() ? source.get().hasher(of: store) : nil
    }

    func userImport(writes: Bool) -> UserImport {
        administration.userImport(hasher: hasher, primitives: .system, writes: writes)
    }
}
