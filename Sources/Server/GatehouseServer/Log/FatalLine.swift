import FileSystem
import JSON
import Processes

/// The log line about an error that ends the process, for when there is no log yet, or no longer.
package enum FatalLine {
    /// Whether standard error is connected to the journal, which expects a priority before each line.
    package static var isForJournal: Bool {
        StandardStream.error.isJournal(named: ProcessEnvironment.variables()["JOURNAL_STREAM"])
    }

    package static func write(_ fault: String, of command: String) {
        let line = LogLine.bytes(.error, "fatal") { line in
            line.member("command", command)
            line.member("fault", fault)
        }
        let prefix = isForJournal ? LogLevel.error.journalPrefix : ""
        StandardStream.error.line(prefix + String(decoding: line, as: UTF8.self))
    }
}
