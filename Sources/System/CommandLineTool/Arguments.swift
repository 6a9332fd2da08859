import POSIX

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

/// Values with a fixed form.
extension Arguments {
    /// The value of an option that takes one of several words, in upper or lower case; nil if the option is not given.
    package func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ option: String, among _: Choice.Type
    ) throws(CommandError) -> Choice? {
        guard let text = value(option) else { return nil }
        return try Self.choice(text, for: option, among: Choice.self)
    }

    /// The same for a positional argument.
    package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ text: String, for name: String, among _: Choice.Type
    ) throws(CommandError) -> Choice {
        if let choice = Choice.allCases.first(where: { $0.rawValue.uppercased() == text.uppercased() }) {
            return choice
        }
        let words = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw CommandError(.usage, "\(name) must be one of \(words)")
    }

    /// The value of `--limit`: how many rows to show at most.
    package func limit(default standard: Int) throws(CommandError) -> Int {
        guard let text = value("--limit") else { return standard }
        guard let number = Int(text), (1...1_000_000).contains(number) else {
            throw CommandError(.usage, "--limit must be a number from 1 to 1000000")
        }
        return number
    }

    /// The time that `--at` sets in place of the current one, in milliseconds since 1970. `reading` reads a written date.
    package func effectiveTime(reading: (String) -> Int64?) throws(CommandError) -> Int64 {
        guard let text = value("--at") else { return WallClock.millisecondsSince1970() }
        let (milliseconds, isTooLarge) = (Int64(text) ?? 0).multipliedReportingOverflow(by: 1000)
        if Int64(text) != nil, !isTooLarge { return milliseconds }
        if let milliseconds = reading(text) { return milliseconds }
        throw CommandError(.usage, "--at must be seconds since 1970, or a UTC time such as 2026-11-21T10:00:00Z")
    }
}

extension String {
    /// The text with every character that acts on a terminal escaped as `\u{1b}`: controls, line ends and bidirectional
    /// marks. Users choose their own names, and these must not change an operator's screen.
    package var printable: String {
        var result = ""
        for scalar in unicodeScalars {
            if scalar.actsOnTerminals {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The same for a text of several lines: the line ends stay.
    package var printableLines: String {
        split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }.joined(separator: "\n")
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control, ends a line, or changes the direction of the text after it.
    package var actsOnTerminals: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: properties.isBidiControl
        default: false
        }
    }
}
