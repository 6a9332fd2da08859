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
