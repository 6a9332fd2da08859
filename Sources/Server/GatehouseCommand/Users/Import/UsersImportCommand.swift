import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JSON
import POSIX
import Synchronization
import UserFiles

struct UsersImportCommand: Command {
    let words = ["users", "import"]
    let summary = "Create users from a file; a server may be running."
    let discussion = """
        Reads DATABASE_URL, TOKEN_ATTRIBUTES and ROLES. FILE has a JSON object in each line, as gatehouse users export and gatehouse users convert write
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
        Option(name: "--roles", help: "accept roles other than USER, and roles of ROLES"),
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
            let attributes = try AttributePolicy.read()
            let database = try ImportDatabase()
            let tally = ImportTally()
            let stopwatch = Stopwatch()
            try ProgressLine.showing { progress in
                tally.show(on: progress, size: file.size)
                var importing = LineImport(
                    database.userImport(writes: !arguments.has("--dry-run")),
                    rules: ImportRules(
                        permitsRoles: arguments.has("--roles"), attributes: attributes, now: Platform.system.now()),
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
            store: store, now: Platform.system.now, operatorName: place.operatorName)
        hasher = try store.hasBarredIdentities() ? source.get().hasher(of: store) : nil
    }

    func userImport(writes: Bool) -> UserImport {
        administration.userImport(hasher: hasher, platform: .system, writes: writes)
    }
}

/// The file with a JSON object for each line: its number, its result, the id of the user, and why it was refused.
final class ImportReport {
    private let file: OutputFile

    private init(_ file: OutputFile) {
        self.file = file
    }

    /// - Parameter input: the file that is read, which a wrong option must not empty.
    static func create(_ path: String, besides input: String) throws(CommandError) -> ImportReport {
        if let report = FileStatus.ifAny(at: path), FileStatus.ifAny(at: input)?.isSameFile(as: report) == true {
            throw CommandError(.usage, "--report must not be the file that is read")
        }
        do throws(POSIXError) { return ImportReport(try OutputFile(replacing: path)) } catch {
            throw CommandError(.usage, "the report cannot be written: \("\(error)".printable)")
        }
    }

    func add(_ result: LineResult, line: Int, reference: String?) throws(POSIXError) {
        var json = JSONWriter(reserving: 256)
        json.object { json in
            json.member("line", line)
            json.member("result", result.word)
            json.member("userId", result.userID)
            json.member("ref", reference)
            json.member("reasons", .array(result.reasons.map(JSONValue.string)))
        }
        try file.append(json.finish() + [UInt8(ascii: "\n")])
    }

    func flush() throws(POSIXError) { try file.flush() }
}

/// Counts the results of an import, and prints the first faults.
final class ImportTally: Sendable {
    struct Counts {
        var imported = 0
        var existing = 0
        var faulty = 0
        var unknownMembers = 0
    }

    /// The faults that are printed. A file in a wrong form has one in each line.
    private static let mostPrinted = 20

    private let state = Mutex(Counts())
    private let bytes = Atomic(Int64(0))

    var counts: Counts { state.withLock { $0 } }

    func add(_ result: LineResult, line: Int) {
        let isPrinted = state.withLock { counts in
            switch result {
            case .imported: counts.imported += 1
            case .existing: counts.existing += 1
            case .faulty: counts.faulty += 1
            }
            if case .faulty = result { return counts.faulty <= Self.mostPrinted }
            return false
        }
        guard isPrinted else { return }
        StandardStream.error.line("line \(line): " + result.reasons.joined(separator: "; "))
    }

    func countUnknownMembers() { state.withLock { $0.unknownMembers += 1 } }

    func readBytes(_ count: Int) { bytes.add(Int64(count), ordering: .relaxed) }

    func show(on progress: Progress, size: Int64?) {
        let megabyte = Int64(1_000_000)
        progress.begin("importing users", unit: "MB", total: size.map { $0 / megabyte }) { [self] in
            // Each byte is read twice.
            bytes.load(ordering: .relaxed) / (2 * megabyte)
        }
    }

    func report(seconds: Int, _ arguments: Arguments) -> Report {
        let counts = counts
        let isDry = arguments.has("--dry-run")
        if counts.faulty > Self.mostPrinted {
            let rest = counts.faulty - Self.mostPrinted
            let advice = arguments.has("--report") ? "the report lists all" : "--report REPORT lists all"
            StandardStream.error.line("… and \(rest) more lines with faults: \(advice)")
        }
        if counts.unknownMembers > 0 {
            StandardStream.error.line(
                "\(counts.unknownMembers) lines have members that Gatehouse does not know, which were ignored")
        }
        let json: JSONValue = [
            "imported": .integer(Int64(counts.imported)), "existing": .integer(Int64(counts.existing)),
            "faulty": .integer(Int64(counts.faulty)), "unknownMembers": .integer(Int64(counts.unknownMembers)),
            "dryRun": .bool(isDry), "seconds": .integer(Int64(seconds)),
        ]
        let done = isDry ? "would import \(counts.imported) users" : "imported \(counts.imported) users in \(seconds) s"
        return Report(
            json: json, text: "\(done); \(counts.existing) exist already; \(counts.faulty) lines have faults")
    }
}

/// The refresh secret of the settings, which opens the keys of the identity hashes. It is read before root is given up.
struct IdentityHasherSource {
    private let ring: KeyRing?

    init() throws(CommandError) {
        let source = SettingSource.current()
        if let fault = source.closedFolder { throw CommandError(.usage, fault.description) }
        ring = try readSettings { () throws(SettingFaults) in try Configuration.refreshKeys(from: source) }
    }

    /// Recognises the identities that were removed from disabled users: with every key, since any of them may have been used.
    func hasher(of store: any ServerStore) throws -> any IdentityHasher {
        let reason = "the database has identities of disabled users, which only JWT_REFRESH_SECRET recognises"
        guard let ring else {
            throw CommandError(.usage, "\(reason): run the command with the settings of the server")
        }
        let document = try store.document(DocumentName.identityHashKeys)
        let hashes = IdentityHashes(document: document?.content ?? [], openedBy: ring)
        guard hashes.unopenedCount == 0 else {
            throw CommandError(
                .usage, "\(reason): the secrets of the settings do not open \(hashes.unopenedCount) of its keys")
        }
        return hashes
    }
}
