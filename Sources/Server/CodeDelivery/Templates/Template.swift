import Text

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

/// A text message.
struct SMSTemplate: Sendable {
    private let text: Template

    init(_ file: [UInt8], of kind: MessageKind) throws(TemplateFault.Reason) {
        text = try Template(TemplateText.lines(of: file), allowing: kind.placeholders)
        try text.requireCode(of: kind)
    }

    func text(_ values: MessageValues) -> String { text.text(values) }
}

/// A mail: the subject, an empty line, and the text. The HTML is a file of its own.
struct MailTemplate: Sendable {
    private let subject: Template
    private let text: Template
    var html: HTMLTemplate?

    init(_ file: [UInt8], of kind: MessageKind) throws(TemplateFault.Reason) {
        let lines = try TemplateText.lines(of: file)
        guard lines.count > 2, !lines[0].isEmpty, lines[1].isEmpty else { throw .noSubject }
        subject = try Template([lines[0]], allowing: kind.placeholders)
        text = try Template(Array(lines[2...]), allowing: kind.placeholders)
        try text.requireCode(of: kind)
    }

    /// Empty if its line has a placeholder without a value.
    func subject(_ values: MessageValues) -> String { subject.text(values) }

    func text(_ values: MessageValues) -> String { text.text(values) }
}

/// The HTML of a mail, in which each value is escaped.
struct HTMLTemplate: Sendable {
    private let page: Template

    init(_ file: [UInt8], of kind: MessageKind) throws(TemplateFault.Reason) {
        page = try Template(TemplateText.lines(of: file), allowing: kind.placeholders)
        try page.requireCode(of: kind)
    }

    func page(_ values: MessageValues) -> String {
        page.lines(values, escape: HTML.escape).joined(separator: "\n")
    }
}

extension Template {
    fileprivate func requireCode(of kind: MessageKind) throws(TemplateFault.Reason) {
        guard kind != .code || contains(.code) else { throw .missing(Placeholder.code.text) }
    }

    /// The lines that have a value for each placeholder, without empty ones at the end.
    fileprivate func text(_ values: MessageValues) -> String {
        var lines = lines(values)
        while lines.last?.isEmpty == true { lines.removeLast() }
        return lines.joined(separator: "\n")
    }
}

/// The lines of a template's file.
enum TemplateText {
    static let largestFile = 16 * 1024

    /// Lines without their ends, and without empty ones at the end of the text.
    static func lines(of bytes: [UInt8]) throws(TemplateFault.Reason) -> [String] {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        // Editors on Windows write a byte order mark and CRLF.
        var scalars = Array(text.unicodeScalars)
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
        var lines = scalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.last == "\r" ? line.dropLast() : line
        }
        while let last = lines.last, last.allSatisfy(\.properties.isWhitespace) { lines.removeLast() }
        guard !lines.isEmpty else { throw .empty }
        guard lines.joined().allSatisfy(isText) else { throw .controlCharacter }
        return lines.map { line in
            var text = ""
            text.unicodeScalars.append(contentsOf: line)
            return text
        }
    }

    private static func isText(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\t" || scalar.properties.generalCategory != .control
    }
}
