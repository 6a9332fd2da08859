import CommandLineTool
import FileSystem
import Gatehouse
import POSIX
import UserFiles

/// Reads the lines of a file and imports them, many lines at a time.
struct LineImport {
    /// Lines that are held in memory. Their users are sorted before they are imported.
    private static let windowSize = 65_536

    private struct PendingLine {
        let number: Int
        let reference: String?
        /// Nil for a line with faults.
        let user: ImportedUser?
        let faults: [LineFault]
    }

    /// In the report of a failure: all lines before it are done.
    private var done = 0
    private var pace = ImportPace()
    private let stopwatch = Stopwatch()

    private var users: UserImport
    private let rules: ImportRules
    private let report: ImportReport?
    private let tally: ImportTally
    private var claims = ClaimedIdentities()
    private var pending: [PendingLine] = []
    private var number = 0
    private var hasBegun = false

    init(_ users: UserImport, rules: ImportRules, report: ImportReport?, tally: ImportTally) {
        (self.users, self.rules, self.report, self.tally) = (users, rules, report, tally)
    }

    /// Reads the file twice: only its end tells which identities two lines claim.
    mutating func run(_ file: borrowing InputFile) throws {
        try forEachLine(of: file) { importing, line in
            importing.claims.add(ReadLine(line).line, number: importing.number)
        }
        do throws(POSIXError) { try file.rewind() } catch { throw stopped("\(error)") }
        number = 0
        try forEachLine(of: file) { importing, line in try importing.add(line) }
        try importPending()
        try report?.flush()
    }

    private mutating func forEachLine(
        of file: borrowing InputFile, _ body: (inout Self, LineSplitter.Line) throws -> Void
    ) throws {
        var splitter = LineSplitter()
        while true {
            let chunk = try next(of: file)
            var lines: [LineSplitter.Line] = []
            splitter.split(chunk) { lines.append($0) }
            if chunk.isEmpty { splitter.finish { lines.append($0) } }
            for line in lines {
                number += 1
                try body(&self, line)
            }
            tally.readBytes(chunk.count)
            if chunk.isEmpty { break }
        }
    }

    private mutating func next(of file: borrowing InputFile) throws(CommandError) -> [UInt8] {
        let chunk: [UInt8]
        do throws(POSIXError) { chunk = try file.next() } catch {
            throw stopped("\(error)")
        }
        if !hasBegun, let raw = RawFile(start: chunk) { throw CommandError(.usage, raw.advice) }
        hasBegun = true
        return chunk
    }

    private mutating func add(_ line: LineSplitter.Line) throws {
        if case .bytes(let bytes) = line, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
        var read = ReadLine(line)
        let checked = read.user(by: rules)
        let claimed = claims.faults(of: read.line, number: number)
        let user = claimed.isEmpty ? checked : nil
        read.faults += claimed
        if read.hasUnknownMembers { tally.countUnknownMembers() }
        pending.append(
            PendingLine(number: number, reference: read.reportedReference, user: user, faults: read.faults))
        if pending.count == Self.windowSize { try importPending() }
    }

    private mutating func importPending() throws {
        var next = try importUsers(pending.compactMap(\.user)).makeIterator()
        for line in pending {
            let result = line.user == nil ? .faulty(line.faults) : next.next().map(LineResult.init) ?? .faulty([])
            tally.add(result, line: line.number)
            try report?.add(result, line: line.number, reference: line.reference)
        }
        pending.removeAll(keepingCapacity: true)
        done = number
    }

    /// The decisions, in the order of the users.
    private mutating func importUsers(_ users: [ImportedUser]) throws(CommandError) -> [ImportDecision] {
        var rest = ImportOrder(users).positions[...]
        var decisions = [ImportDecision?](repeating: nil, count: users.count)
        while !rest.isEmpty {
            let batch = rest.prefix(pace.size)
            rest = rest.dropFirst(batch.count)
            for (position, decision) in zip(batch, try importBatch(batch.map { users[$0] })) {
                decisions[position] = decision
            }
        }
        return decisions.compactMap(\.self)
    }

    /// Imports users in one transaction, and then lets other processes write.
    private mutating func importBatch(_ batch: [ImportedUser]) throws(CommandError) -> [ImportDecision] {
        do throws(Refusal) {
            let start = stopwatch.nanoseconds
            let decisions = try users.add(batch)
            let time = Duration.nanoseconds(stopwatch.nanoseconds - start)
            let pause = pace.record(
                batch.count, taking: time, writes: try users.writesOfOthers(), now: .nanoseconds(stopwatch.nanoseconds))
            if pause > .zero { Thread.pause(for: pause) }
            return decisions
        } catch {
            if case .storageUnavailable(let failure) = error { throw stopped(failure.description) }
            throw stopped("\(error)")
        }
    }

    private func stopped(_ reason: String) -> CommandError {
        CommandError(
            .failed,
            "the import stopped: \(reason.printable). All lines up to \(done) are done, and some after it; run it again, and "
                + "it goes on")
    }
}

extension ReadLine {
    /// Nil for one that is too long to be repeated.
    fileprivate var reportedReference: String? {
        line.reference.flatMap { $0.utf8.count <= 128 ? $0 : nil }
    }
}

/// What became of a line.
enum LineResult {
    case imported(UserID)
    case existing(UserID)
    case faulty([LineFault])

    init(_ decision: ImportDecision) {
        self =
            switch decision {
            case .create(let new): .imported(new.user.id)
            case .exists(let user): .existing(user)
            case .refuse(let fault): .faulty([fault])
            }
    }

    var word: String {
        switch self {
        case .imported: "imported"
        case .existing: "exists"
        case .faulty: "fault"
        }
    }

    /// Nil for a fault, and for a user whom a dry run has not created.
    var userID: String? {
        switch self {
        case .imported(let user), .existing(let user): user.text.hasPrefix("user_") ? user.text : nil
        case .faulty: nil
        }
    }

    var reasons: [String] {
        if case .faulty(let faults) = self { faults.map(\.sentence) } else { [] }
    }
}

extension RawFile {
    fileprivate var advice: String {
        switch self {
        case .firebase:
            "FILE is one of Firebase, or an array: gatehouse users convert firebase FILE --out users.jsonl makes what is imported"
        case .supabase:
            "FILE is a table of Supabase: gatehouse users convert supabase --users users.csv --identities identities.csv "
                + "--out users.jsonl makes what is imported"
        }
    }
}
