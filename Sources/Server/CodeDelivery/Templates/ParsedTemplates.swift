import Gatehouse

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
        page.lines(values, escape: Self.escaped).joined(separator: "\n")
    }

    /// For text and for attributes in quotation marks.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
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
