/// What `--help` prints.
enum Help {
    static func text(of command: any Command) -> String {
        var text = command.summary + "\n\nusage: gatehouse \(usage(of: command))\n"
        if !command.discussion.isEmpty { text += "\n\(command.discussion)\n" }
        text += "\n" + table((command.options + [.help]).map { (left(of: $0), note(on: $0)) })
        return text
    }

    static func overview(of commands: [any Command]) -> String {
        "The login backend behind your nginx.\n\nusage: gatehouse COMMAND [options]\n\n"
            + table(commands.map { ($0.name, $0.summary) })
            + "\n\ngatehouse COMMAND --help tells more."
    }

    static func text(ofGroup commands: [any Command]) -> String {
        let word = commands.first?.words[0] ?? ""
        return "usage: gatehouse \(word) COMMAND [options]\n\n" + table(commands.map { ($0.name, $0.summary) })
            + "\n\ngatehouse \(word) COMMAND --help tells more."
    }

    private static func usage(of command: any Command) -> String {
        let required = command.options.filter(\.isRequired).map(left)
        return
            ([command.name] + required + (command.options.allSatisfy(\.isRequired) ? [] : ["[options]"])
            + command.arguments + (command.furtherArguments.map { ["[\($0)]…"] } ?? [])).joined(separator: " ")
    }

    private static func left(of option: Option) -> String {
        option.value.map { "\(option.name) \($0)" } ?? option.name
    }

    private static func note(on option: Option) -> String {
        option.isRequired ? option.help + " (required)" : option.help
    }

    private static func table(_ rows: [(String, String)]) -> String {
        let width = rows.map(\.0.count).max() ?? 0
        return rows.map { "  " + $0.0 + String(repeating: " ", count: width - $0.0.count + 2) + $0.1 }
            .joined(separator: "\n")
    }
}
