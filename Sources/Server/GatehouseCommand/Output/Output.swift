import CommandLineTool
import FileSystem
import GatehouseServer
import GatehouseStore
import JSON
import POSIX
import Text

/// The output of a command: a JSON document for `--json`, text otherwise.
struct Report {
    let json: JSONValue
    let text: String

    func print(for arguments: Arguments, on stream: StandardStream = .output) {
        stream.line(arguments.has(Option.json.name) ? json.printable : text)
    }
}

extension Option {
    static let json = Option(name: "--json", help: "print JSON, for a script")
}

extension JSONValue {
    /// Compact JSON that is safe on a terminal. Characters that act on terminals can only occur in strings, where JSON
    /// allows them to be escaped by number.
    fileprivate var printable: String {
        var result = ""
        for scalar in description.unicodeScalars {
            if scalar.actsOnTerminals {
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    init(_ text: String?) {
        self = text.map(JSONValue.string) ?? .null
    }
}

/// Text in aligned columns.
struct Table {
    private static let emptyCell = "-"

    private let rows: [[String]]

    /// - Parameter header: the names of the columns; nil for rows that begin with a name.
    init(_ rows: [[String?]], under header: [String]? = nil) {
        let written = rows.map { row in row.map { $0?.printable ?? Self.emptyCell } }
        self.rows = (header.map { [$0] } ?? []) + written
    }

    var text: String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
        return rows.map { Self.line($0, widths: widths) }.joined(separator: "\n")
    }

    private static func line(_ row: [String], widths: [Int]) -> String {
        let padded = zip(row, widths).dropLast().map { cell, width in
            cell + String(repeating: " ", count: width - cell.columns)
        }
        return (padded + row.suffix(1)).joined(separator: "  ")
    }
}

extension String {
    /// The width of the text on a terminal.
    var columns: Int {
        reduce(0) { $0 + $1.columns }
    }
}

extension Character {
    /// Combining marks have no width of their own, so the widest scalar counts.
    fileprivate var columns: Int {
        unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    /// Two for scalars that UAX #11 calls wide, by their blocks.
    fileprivate var columns: Int {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD:
            2
        case _ where properties.isEmojiPresentation: 2
        case _ where [.nonspacingMark, .enclosingMark, .format].contains(properties.generalCategory): 0
        default: 1
        }
    }
}

/// A line on the terminal that shows the progress of a long operation and is redrawn until the operation ends.
///
/// It is on standard error, so that standard output stays the same for scripts. If standard error is not a terminal,
/// nothing is shown.
struct ProgressLine {
    /// The line appears after this delay.
    static let delay = Duration.seconds(2)
    private static let interval = Duration.milliseconds(500)
    private static let eraseLine = "\r\u{1B}[K"

    /// Runs an operation with a line for it.
    static func showing<Result>(_ operation: (Progress) throws -> Result) rethrows -> Result {
        let progress = Progress()
        let isOver = Monitor(false)
        guard Terminal.showsErrors, let thread = try? display(progress, until: isOver) else {
            return try operation(progress)
        }
        defer {
            isOver.change { $0 = true }
            thread.join()
        }
        return try operation(progress)
    }

    private static func display(_ progress: Progress, until isOver: Monitor<Bool>) throws(POSIXError) -> Thread {
        let stopwatch = Stopwatch()
        return try Thread.spawn(name: "progress") {
            var time = delay
            while isOver.wait(atMost: time, for: { $0 ? true : nil }) == nil {
                let seconds = stopwatch.nanoseconds / 1_000_000_000
                if let text = progress.text { write("\(eraseLine)\(text) (\(seconds) s)") }
                time = interval
            }
            if stopwatch.nanoseconds >= delay.wholeMilliseconds * 1_000_000 { write(eraseLine) }
        }
    }

    private static func write(_ text: String) {
        _ = StandardStream.error.write(Array(text.utf8))
    }
}

/// Writes errors as log lines with a priority if standard error is collected as a log, so that `journalctl -p err`
/// shows why a start or a backup failed. Otherwise writes them as text.
struct LogErrorReporter: ErrorReporter {
    private let text = TextErrorReporter(program: "gatehouse")

    func report(_ error: CommandError, in command: (any Command)?) {
        guard Self.isLogged(command) else { return text.report(error, in: command) }
        for fault in error.details.isEmpty ? [error.message] : error.details {
            FatalLine.write(fault, of: command?.name ?? "gatehouse")
        }
    }

    func advise(_ advice: String, in command: (any Command)?) {
        if !Self.isLogged(command) { text.advise(advice, in: command) }
    }

    /// The server logs JSON unless its standard error is a terminal; other commands only to the journal.
    private static func isLogged(_ command: (any Command)?) -> Bool {
        FatalLine.isForJournal || command is ServeCommand && !Terminal.showsErrors
    }
}

/// Confirmation of commands that remove data: on a terminal the user types yes, a script passes `--yes`.
extension Arguments {
    /// Throws if there is neither a terminal nor `--yes`. Without a terminal, an empty or unrelated input would count
    /// as the answer.
    func requireConfirmation(_ message: String) throws(CommandError) {
        guard has("--yes") || Terminal.isAttached else { throw CommandError(.usage, message) }
    }

    /// Asks the question, unless `--yes` is given.
    func confirm(_ question: String, otherwise: String = "nothing was changed") throws(CommandError) {
        if has("--yes") { return }
        StandardStream.error.line(question)
        guard readLine()?.lowercased() == "yes" else { throw CommandError(.no, otherwise) }
    }
}

extension String {
    /// The text as one word of a shell command.
    var shellQuoted: String {
        let isPlain = !isEmpty && consistsOfAlphanumerics(and: "/._-+@%:,")
        return isPlain ? self : "'" + printable.replacing("'", with: "'\\''") + "'"
    }

    /// A command whose redirections root opens. Under sudo, the operator's own shell would open them.
    var typedAsRoot: String { OperatorName.isUnderSudo ? "sudo sh -c \(shellQuoted)" : self }

    /// Whether every byte is an ASCII letter or digit, or one of `others`.
    func consistsOfAlphanumerics(and others: String) -> Bool {
        utf8.allSatisfy { $0.isAlphanumeric || others.utf8.contains($0) }
    }
}
