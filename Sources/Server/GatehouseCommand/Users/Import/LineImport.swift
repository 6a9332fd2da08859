import CommandLineTool
import FileSystem
import Gatehouse
import POSIX
import UserFiles

/// Reads the lines of a file and imports them in batches.
struct LineImport {
    /// A batch is one transaction, for which the writes of a server wait.
    static let batchSize = 256

    private struct PendingLine {
        let number: Int
        let reference: String?
        /// Nil for a line with faults.
        let user: ImportedUser?
        let faults: [LineFault]
    }

    private var users: UserImport
    private let rules: ImportRules
    private let report: ImportReport?
    private let tally: ImportTally
    private var splitter = LineSplitter()
    private var pending: [PendingLine] = []
    private var number = 0

    init(_ users: UserImport, rules: ImportRules, report: ImportReport?, tally: ImportTally) {
        self.users = users
        self.rules = rules
        self.report = report
        self.tally = tally
        pending.reserveCapacity(Self.batchSize)
    }

    mutating func run(_ file: borrowing InputFile) throws {
        while true {
            let chunk = try next(of: file)
            var lines: [LineSplitter.Line] = []
            splitter.split(chunk) { lines.append($0) }
            if chunk.isEmpty { splitter.finish { lines.append($0) } }
            for line in lines { try add(line) }
            tally.readBytes(chunk.count)
            if chunk.isEmpty { break }
        }
        try importPending()
        try report?.flush()
    }

    private func next(of file: borrowing InputFile) throws(CommandError) -> [UInt8] {
        do throws(POSIXError) { return try file.next() } catch {
            throw stopped("\(error)")
        }
    }

    private mutating func add(_ line: LineSplitter.Line) throws {
        number += 1
        if case .bytes(let bytes) = line, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return }
        var read = ReadLine(line)
        let user = read.user(by: rules)
        if read.hasUnknownMembers { tally.countUnknownMembers() }
        pending.append(
            PendingLine(number: number, reference: read.reportedReference, user: user, faults: read.faults))
        if pending.count == Self.batchSize { try importPending() }
    }

    private mutating func importPending() throws {
        let decisions: [ImportDecision]
        do throws(Refusal) { decisions = try users.add(pending.compactMap(\.user)) } catch {
            try report?.flush()
            if case .storageUnavailable(let failure) = error { throw stopped(failure.description) }
            throw stopped("\(error)")
        }
        var next = decisions.makeIterator()
        for line in pending {
            let result = line.user == nil ? .faulty(line.faults) : next.next().map(LineResult.init) ?? .faulty([])
            tally.add(result, line: line.number)
            try report?.add(result, line: line.number, reference: line.reference)
        }
        pending.removeAll(keepingCapacity: true)
    }

    private func stopped(_ reason: String) -> CommandError {
        let last = number - pending.count
        return CommandError(
            .failed,
            "the import stopped after line \(last): \(reason.printable). Run it again: it goes on where it stopped")
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
