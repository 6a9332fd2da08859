import CommandLineTool
import FileSystem
import GatehouseServer

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
