import FileSystem
import Glibc
import POSIX
import Processes

/// A program that consists of commands.
package struct Program: Sendable {
    let name: String
    /// The first line of its help.
    let summary: String
    let commands: [any Command]
    private let errors: any ErrorReporter

    package init(name: String, summary: String, commands: [any Command], errors: any ErrorReporter) {
        (self.name, self.summary, self.commands, self.errors) = (name, summary, commands, errors)
    }

    /// Runs the command that the arguments of this process name, and ends the process with its exit status.
    package func main() -> Never {
        // Before any secret is read: most commands read some.
        forbidCoreDumps()
        // Databases, keys and backups are for the user who runs the command.
        File.restrictNewFiles()
        Signals.ignoreFailedWrites()
        let status = run(Array(CommandLine.arguments.dropFirst()))
        guard !StandardStream.hasLostOutput else {
            // A script must not mistake partial output for the complete output.
            fail("the output could not be written")
        }
        exit(status.rawValue)
    }

    private func forbidCoreDumps() {
        do throws(POSIXError) { try CoreDump.forbid() } catch { fail("core dumps cannot be turned off: \(error)") }
    }

    private func fail(_ message: String) -> Never {
        errors.report(CommandError(.failed, message), in: nil)
        exit(ExitStatus.failed.rawValue)
    }

    private func run(_ words: [String]) -> ExitStatus {
        if words.allSatisfy(Self.isHelp) {
            StandardStream.output.line(Help(program: name).overview(of: commands, summary: summary))
            return words.isEmpty ? .usage : .done
        }
        if let group = group(inHelpRequest: words) {
            StandardStream.output.line(Help(program: name).text(ofGroup: group))
            return .done
        }
        let words = canonical(words)
        let matches = commands.filter { words.starts(with: $0.words) }
        guard let command = matches.max(by: { $0.words.count < $1.words.count }) else {
            return refuse([unknownCommand(words[0])], in: nil)
        }
        do throws(UsageErrors) {
            let arguments = try Arguments(Array(words.dropFirst(command.words.count)), of: command)
            guard !arguments.has(Option.help.name) else {
                StandardStream.output.line(Help(program: name).text(of: command))
                return .done
            }
            return run(command, arguments)
        } catch {
            return refuse(error.messages, in: command)
        }
    }

    private static func isHelp(_ word: String) -> Bool { word == "help" || word == Option.help.name }

    /// The commands whose first word is given, for `users --help` and `help users`. Nil for any other arguments.
    private func group(inHelpRequest words: [String]) -> [any Command]? {
        guard words.count == 2, let word = words.first(where: { !Self.isHelp($0) }),
            words[1] == Option.help.name || words.contains("help"), !commands.contains(where: { $0.words == [word] })
        else { return nil }
        let group = commands.filter { $0.words[0] == word }
        return group.isEmpty ? nil : group
    }

    /// Rewrites `--version` to `version`, and `help users list` to `users list --help`.
    private func canonical(_ words: [String]) -> [String] {
        if words == ["--version"] { return ["version"] }
        return words.first == "help" ? words.dropFirst() + [Option.help.name] : words
    }

    private func run(_ command: any Command, _ arguments: Arguments) -> ExitStatus {
        do { return try command.run(arguments) } catch {
            errors.report(error, in: command)
            return error.status
        }
    }

    private func unknownCommand(_ word: String) -> String {
        let longer = commands.filter { $0.words[0] == word }.map(\.name).joined(separator: ", ")
        return "unknown command \(word.prefix(40))" + (longer.isEmpty ? "" : "; commands that begin with it: \(longer)")
    }

    private func refuse(_ messages: [String], in command: (any Command)?) -> ExitStatus {
        for message in messages { errors.report(CommandError(.usage, message), in: command) }
        let help = ([name] + (command?.words ?? []) + [Option.help.name]).joined(separator: " ")
        errors.advise("Try: \(help)", in: command)
        return .usage
    }
}

/// Writes the help of a program.
struct Help {
    let program: String

    func text(of command: any Command) -> String {
        var text = command.summary + "\n\nusage: \(program) \(usage(of: command))\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        return text + "\n" + table((command.options + [.help]).map { (syntax(of: $0), description(of: $0)) })
    }

    func overview(of commands: [any Command], summary: String) -> String {
        "\(summary)\n\nusage: \(program) COMMAND [options]\n\n" + table(commands.map { ($0.name, $0.summary) })
            + "\n\nFor the help of a command: \(program) COMMAND --help"
    }

    /// The help of commands that share their first word.
    func text(ofGroup commands: [any Command]) -> String {
        let word = commands.first?.words[0] ?? ""
        return "usage: \(program) \(word) COMMAND [options]\n\n" + table(commands.map { ($0.name, $0.summary) })
            + "\n\nFor the help of a command: \(program) \(word) COMMAND --help"
    }

    private func usage(of command: any Command) -> String {
        let required = command.options.filter(\.isRequired).map(syntax)
        let optional = command.options.allSatisfy(\.isRequired) ? [] : ["[options]"]
        let repeated = command.repeatedParameter.map { ["[\($0)]…"] } ?? []
        return ([command.name] + required + optional + command.parameters + repeated).joined(separator: " ")
    }

    private func syntax(of option: Option) -> String {
        option.value.map { "\(option.name) \($0)" } ?? option.name
    }

    private func description(of option: Option) -> String {
        option.isRequired ? option.help + " (required)" : option.help
    }

    private func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }
}

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
