/// A command of a program, such as `gatehouse users list`.
package protocol Command: Sendable {
    /// The words of its name: `["users", "list"]`.
    var words: [String] { get }
    /// One line for the list of commands.
    var summary: String { get }
    /// The part of its help that follows the usage line.
    var discussion: String { get }
    /// The names of its required arguments in the help, such as `FILE`.
    var parameters: [String] { get }
    /// The name of an argument that may be given any number of times after those; nil if there is none.
    var repeatedParameter: String? { get }
    var options: [Option] { get }

    func run(_ arguments: Arguments) throws(CommandError) -> ExitStatus
}

extension Command {
    package var discussion: String { "" }
    package var parameters: [String] { [] }
    package var repeatedParameter: String? { nil }
    package var options: [Option] { [] }
    package var name: String { words.joined(separator: " ") }
}

/// An option of a command.
package struct Option: Sendable {
    package let name: String
    /// The name of its value in the help; nil for an option without a value.
    package let value: String?
    package let help: String
    package let isRequired: Bool

    package init(name: String, value: String? = nil, help: String, isRequired: Bool = false) {
        (self.name, self.value, self.help, self.isRequired) = (name, value, help, isRequired)
    }

    static let help = Option(name: "--help", help: "show this help")
}

/// The exit status of a command.
package enum ExitStatus: Int32, Sendable {
    case done = 0
    /// The command worked, and the answer is no: a check found a fault, or the user does not exist.
    case no = 1
    /// Wrong usage or configuration.
    case usage = 2
    case failed = 3
}

/// Ends a command with a message and an exit status.
package struct CommandError: Error {
    package let status: ExitStatus
    package let message: String
    /// The single faults, if the message is about several.
    package let details: [String]

    package init(_ status: ExitStatus, _ message: String, details: [String] = []) {
        (self.status, self.message, self.details) = (status, message, details)
    }
}
