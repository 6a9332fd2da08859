/// The arguments of a command, parsed.
package struct Arguments {
    package private(set) var positional: [String] = []
    private var values: [String: [String]] = [:]

    /// The value of an option; the last one if it is given more than once.
    package func value(_ name: String) -> String? { values[name]?.last }

    /// Every value of an option that may be repeated.
    package func all(_ name: String) -> [String] { values[name] ?? [] }

    package func has(_ name: String) -> Bool { values[name] != nil }

    /// Collects all faults before it throws.
    init(_ words: [String], of command: any Command) throws(UsageErrors) {
        var faults: [String] = []
        var rest = words[...]
        var optionsEnded = false
        while let word = rest.popFirst() {
            if word == "--", !optionsEnded {
                optionsEnded = true
            } else if !optionsEnded, word.hasPrefix("-"), word != "-" {
                if let fault = parse(option: word, &rest, command.options + [.help]) { faults.append(fault) }
            } else {
                positional.append(word)
            }
        }
        if !has(Option.help.name) { faults += missingOrSurplus(in: command) }
        guard faults.isEmpty else { throw UsageErrors(messages: faults) }
    }

    /// Parses `--name value` or `--name=value`. Returns the fault, if there is one.
    private mutating func parse(option word: String, _ rest: inout ArraySlice<String>, _ known: [Option]) -> String? {
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

    private func missingOrSurplus(in command: any Command) -> [String] {
        let options = command.options.filter { $0.isRequired && !has($0.name) }
            .map { "\($0.name) \($0.value ?? "") is required" }
        let missing = command.parameters.dropFirst(positional.count).map { "\($0) is missing" }
        let surplus = command.repeatedParameter == nil ? positional.dropFirst(command.parameters.count) : []
        return options + missing + surplus.map { "unexpected argument \($0.prefix(40))" }
    }
}

/// Every fault in the arguments of a command.
struct UsageErrors: Error {
    let messages: [String]
}
