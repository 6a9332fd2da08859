import JSON
import POSIX

/// A line of the log about what ends this process, for when there is no log yet or none any more.
package enum FatalLine {
    /// Whether standard error is connected with the journal, which takes a priority in front of each line.
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
