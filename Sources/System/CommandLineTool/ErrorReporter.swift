import FileSystem

/// Tells the caller on standard error why a command failed.
package protocol ErrorReporter: Sendable {
    /// - Parameter command: nil if the error does not belong to a command.
    func report(_ error: CommandError, in command: (any Command)?)

    /// Tells an interactive user what to do.
    func advise(_ text: String, in command: (any Command)?)
}

/// Writes errors as text for a person, each with the name of the program.
package struct TextErrorReporter: ErrorReporter {
    private let program: String

    package init(program: String) {
        self.program = program
    }

    package func report(_ error: CommandError, in command: (any Command)?) {
        let heading = error.details.isEmpty ? error.message : error.message + ":"
        let lines = [heading] + error.details.map { "  " + $0 }
        // Messages of SQLite repeat names from the database file.
        StandardStream.error.line("\(program): \(lines.joined(separator: "\n").printableLines)")
    }

    package func advise(_ text: String, in command: (any Command)?) {
        StandardStream.error.line(text)
    }
}
