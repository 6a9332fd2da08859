/// One thing that `gatehouse` can be told to do.
protocol Command: Sendable {
    /// The words that call it: `["apple", "verify"]`.
    var words: [String] { get }
    /// One line for the list of commands.
    var summary: String { get }
    /// More for its own help.
    var discussion: String { get }
    /// What stands for each argument in the help, all of them required.
    var arguments: [String] { get }
    /// What stands for any number of further arguments; nil where there may be none.
    var furtherArguments: String? { get }
    var options: [Option] { get }

    func run(_ input: Input) throws(CommandFault) -> ExitStatus
}

extension Command {
    var discussion: String { "" }
    var arguments: [String] { [] }
    var furtherArguments: String? { nil }
    var options: [Option] { [] }
    var name: String { words.joined(separator: " ") }
}
