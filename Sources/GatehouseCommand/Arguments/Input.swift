/// The words after a command, told apart.
struct Input {
    private(set) var arguments: [String] = []
    private var values: [String: [String]] = [:]

    /// The value of an option; the last one where it is given more than once.
    func value(_ name: String) -> String? { values[name]?.last }

    /// Every value of an option that may be given more than once.
    func all(_ name: String) -> [String] { values[name] ?? [] }

    func has(_ name: String) -> Bool { values[name] != nil }

    /// Reads the words for a command. Throws every fault at once.
    init(_ words: [String], for command: any Command) throws(UsageFaults) {
        var faults: [String] = []
        var rest = words[...]
        var optionsEnded = false
        while let word = rest.popFirst() {
            if word == "--", !optionsEnded {
                optionsEnded = true
            } else if !optionsEnded, word.hasPrefix("-"), word != "-" {
                if let fault = take(option: word, rest: &rest, command.options + [.help]) { faults.append(fault) }
            } else {
                arguments.append(word)
            }
        }
        if !has(Option.help.name) { faults += missing(in: command) }
        guard faults.isEmpty else { throw UsageFaults(faults: faults) }
    }

    /// Takes `--name value` or `--name=value`. Returns what is wrong with it.
    private mutating func take(option word: String, rest: inout ArraySlice<String>, _ known: [Option]) -> String? {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let option = known.first(where: { $0.name == parts[0] }) else { return "unknown option \(parts[0])" }
        guard let placeholder = option.value else {
            values[option.name, default: []].append("")
            return parts.count > 1 ? "\(option.name) takes no value" : nil
        }
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
            return "\(option.name) needs a value: \(option.name) \(placeholder)"
        }
        values[option.name, default: []].append(value)
        return nil
    }

    private func missing(in command: any Command) -> [String] {
        let options = command.options.filter { $0.isRequired && !has($0.name) }
            .map { "\($0.name) \($0.value ?? "") is required" }
        let absent = command.arguments.dropFirst(arguments.count).map { "\($0) is missing" }
        let further = command.furtherArguments == nil ? arguments.dropFirst(command.arguments.count) : []
        let surplus = further.map { "\($0.prefix(40)) is one argument too many" }
        return options + absent + surplus
    }
}
