import Curl

/// The address that mails come from, with the name that recipients see: `MAIL_FROM`.
package struct MailSender: Sendable, Equatable {
    package let name: String?
    package let address: String
    /// The part of the address after its `@`.
    let domain: String

    private static let longestName = 200

    /// Nil unless the text is `address`, `<address>`, `Name <address>` or `"Name" <address>`. A control character, such as the
    /// end of a line, is refused everywhere: it could begin another header field.
    package init?(_ text: String) {
        guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else { return nil }
        guard let (name, address) = Self.parts(of: Self.trimmed(text[...])) else { return nil }
        guard SMTPAddress.isValid(address), let at = address.lastIndex(of: "@") else { return nil }
        self.name = name.isEmpty ? nil : name
        self.address = address
        domain = String(address[address.index(after: at)...])
    }

    private static func parts(of text: Substring) -> (name: String, address: String)? {
        guard text.hasSuffix(">"), let open = text.lastIndex(of: "<") else { return ("", String(text)) }
        let address = text[text.index(after: open)...].dropLast()
        guard let name = unquoted(trimmed(text[..<open])), name.utf8.count <= longestName else { return nil }
        return (name, String(address))
    }

    /// The name without its quotation marks. Nil if one is missing, or if the name has an angle bracket outside of them.
    private static func unquoted(_ name: Substring) -> String? {
        guard name.hasPrefix("\"") else { return name.contains { "<>\"".contains($0) } ? nil : String(name) }
        var (text, isEscaped) = ("", false)
        for (index, character) in zip(name.indices, name).dropFirst() {
            if character == "\"", !isEscaped { return name.index(after: index) == name.endIndex ? text : nil }
            isEscaped = character == "\\" && !isEscaped
            if !isEscaped { text.append(character) }
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.drop { $0 == " " }
        return start[..<(start.lastIndex { $0 != " " }.map(start.index(after:)) ?? start.startIndex)]
    }
}
