/// A text with placeholders. A line that contains a placeholder without a value is left out.
struct Template: Sendable {
    private enum Part {
        case text(String)
        case placeholder(Placeholder)
    }

    private let lines: [[Part]]

    /// - Parameter allowed: the placeholders that the text may have.
    init(_ lines: [String], allowing allowed: [Placeholder]) throws(TemplateFault.Reason) {
        var parsed: [[Part]] = []
        for line in lines { parsed.append(try Self.parts(of: line, allowed)) }
        self.lines = parsed
    }

    func contains(_ placeholder: Placeholder) -> Bool {
        lines.joined().contains { part in
            if case .placeholder(placeholder) = part { true } else { false }
        }
    }

    /// The lines with the values in them.
    ///
    /// - Parameter escape: applied to each value, and not to the text.
    func lines(_ values: MessageValues, escape: (String) -> String = { $0 }) -> [String] {
        lines.compactMap { line in
            var text = ""
            for part in line {
                switch part {
                case .text(let fixed): text += fixed
                case .placeholder(let placeholder):
                    guard let value = values[placeholder] else { return nil }
                    text += escape(value)
                }
            }
            return text
        }
    }

    /// Braces around anything but letters and underscores are text, such as those of a style sheet.
    private static func parts(
        of line: String, _ allowed: [Placeholder]
    ) throws(TemplateFault.Reason) -> [Part] {
        var parts: [Part] = []
        var rest = line[...]
        while let open = rest.firstIndex(of: "{") {
            let name = rest[open...].dropFirst().prefix { $0 == "_" || $0.isASCII && $0.isLetter }
            let isName = !name.isEmpty && rest[name.endIndex...].first == "}"
            let end = isName ? rest.index(after: name.endIndex) : rest.index(after: open)
            parts.append(.text(String(rest[..<(isName ? open : end)])))
            if isName { parts.append(.placeholder(try placeholder(name, allowed))) }
            rest = rest[end...]
        }
        return parts + [.text(String(rest))]
    }

    private static func placeholder(
        _ name: Substring, _ allowed: [Placeholder]
    ) throws(TemplateFault.Reason) -> Placeholder {
        guard let placeholder = Placeholder(rawValue: String(name)), allowed.contains(placeholder) else {
            throw .unknownPlaceholder("{\(name)}", allowed: allowed.map(\.text))
        }
        return placeholder
    }
}
