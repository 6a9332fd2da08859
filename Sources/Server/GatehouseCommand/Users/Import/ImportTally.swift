import CommandLineTool
import FileSystem
import GatehouseStore
import JSON
import Synchronization

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
