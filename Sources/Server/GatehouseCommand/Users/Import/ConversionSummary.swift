import CommandLineTool
import FileSystem
import Gatehouse
import JSON
import POSIX
import UserFiles

/// Writes converted users, and counts those who lose a way to sign in.
final class ConversionSummary {
    static let options = [
        Option(name: "--out", value: "OUT", help: "write the lines to this file"),
        Option(name: "--force", help: "replace OUT"),
        Option(
            name: "--report", value: "REPORT",
            help: "a JSON object for each user who loses a way to sign in: ref and why"),
        Option(
            name: "--provider-name", value: "THERE=HERE",
            help: "the name of a provider there and at Gatehouse, such as azure=company; may be repeated"),
        .json,
    ]

    private let output: UserFileOutput
    private let report: OutputFile?
    private var outcomes: [ConvertedUser.Outcome: Int] = [:]
    private var losses: [LostWay: Int] = [:]
    var confirmedWithoutMail = 0

    private init(_ arguments: Arguments) throws {
        output = try UserFileOutput(arguments.value("--out") ?? "-", mayReplace: arguments.has("--force"))
        report = try arguments.value("--report").map { try OutputFile(replacing: $0) }
    }

    static func run(
        _ arguments: Arguments, _ body: (ConversionSummary) throws -> Void
    ) throws(CommandError) -> ExitStatus {
        do {
            let summary = try ConversionSummary(arguments)
            try body(summary)
            try summary.output.finish()
            try summary.report?.flush()
            summary.summary.print(for: arguments, on: .error)
            return .done
        } catch let error as CommandError {
            throw error
        } catch let error as POSIXError {
            throw CommandError(.failed, "\(error)".printable)
        } catch {
            throw CommandError(
                .no, "the conversion stopped, do not import what it has written: \(ConversionFault.sentence(error))")
        }
    }

    /// Names as in the paths of the API.
    static func providerNames(_ arguments: Arguments) throws(CommandError) -> [String: String] {
        var names: [String: String] = [:]
        for text in arguments.all("--provider-name") {
            let parts = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, Provider(lowercaseName: parts[1]) != nil else {
                throw CommandError(.usage, "--provider-name must be THERE=HERE, such as azure=company")
            }
            names[parts[0]] = parts[1]
        }
        return names
    }

    func add(_ user: ConvertedUser) throws {
        outcomes[user.outcome, default: 0] += 1
        for loss in user.losses { losses[loss, default: 0] += 1 }
        if let line = user.line { try output.append(line.written) }
        guard let report, !user.losses.isEmpty else { return }
        let json: JSONValue = [
            "ref": JSONValue(user.reference), "result": .string(user.outcome.rawValue),
            "lost": .array(user.losses.map { .string($0.code) }),
        ]
        try report.append(Array((json.description + "\n").utf8))
    }

    private var summary: Report {
        let (kept, partly) = (outcomes[.kept] ?? 0, outcomes[.keptPartly] ?? 0)
        let (lost, skipped) = (outcomes[.lost] ?? 0, outcomes[.skipped] ?? 0)
        let reasons = losses.sorted { ($0.value, $1.key.code) > ($1.value, $0.key.code) }
        var lines = ["converted \(kept + partly) of \(kept + partly + lost + skipped) users"]
        if skipped > 0 { lines.append("\(skipped) were deleted there and are left out") }
        if lost > 0 { lines.append("\(lost) have no way to sign in at Gatehouse and are left out") }
        if partly > 0 { lines.append("\(partly) lose a way to sign in and keep another") }
        lines += reasons.filter { $0.key != .deleted }.map { "  \($0.value): \($0.key.explanation)" }
        if confirmedWithoutMail > 0 {
            lines.append(
                "\(confirmedWithoutMail) email addresses were confirmed without a mail: see UserImport.md before you trust them"
            )
        }
        let json: JSONValue = [
            "converted": .integer(Int64(kept + partly)), "lost": .integer(Int64(lost)),
            "keptPartly": .integer(Int64(partly)), "skipped": .integer(Int64(skipped)),
            "confirmedWithoutMail": .integer(Int64(confirmedWithoutMail)),
            "reasons": .object(JSONObject(reasons.map { ($0.key.code, .integer(Int64($0.value))) })),
        ]
        return Report(json: json, text: lines.joined(separator: "\n"))
    }
}

/// Why a file cannot be converted. It contains no text of the file.
private enum ConversionFault {
    static func sentence(_ error: any Error) -> String {
        switch error {
        case CSVReader.Fault.longRecord(let line): "the record at line \(line) is too long"
        case CSVReader.Fault.encoding(let line): "the record at line \(line) is not UTF-8"
        case CSVReader.Fault.openQuote(let line): "the record at line \(line) has a quote that is not closed"
        case CSVReader.Fault.strayQuote(let line):
            "the record at line \(line) has a quote within a field that is not quoted, or text after a closing quote"
        case CSVReader.Fault.strayReturn(let line):
            "the record at line \(line) has a carriage return that is not followed by a line feed"
        case CSVTable.Fault.missingColumn(let name): "the first line does not name the column \(name)"
        case CSVTable.Fault.repeatedColumn: "the first line names a column twice"
        case CSVTable.Fault.length(let line): "the record at line \(line) has not one field for each column"
        case FirebaseConversion.Fault.empty: "the file is empty"
        case FirebaseConversion.Fault.notJSON:
            "the file is not JSON. Firebase's CSV is not safe to read: export JSON, with firebase auth:export users.json"
        case FirebaseConversion.Fault.unfinished: "the file ends early, or has no array of users"
        case FirebaseConversion.Fault.longUser: "a user is too long"
        case FirebaseConversion.Fault.invalid(let number): "user \(number) cannot be read"
        default: "the file cannot be read"
        }
    }
}
