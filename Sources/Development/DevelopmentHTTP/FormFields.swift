import Text

/// The fields of a query, or of a body in `application/x-www-form-urlencoded`.
package struct FormFields: Sendable {
    private let fields: [(name: String, value: String)]

    /// Nil if a field is malformed.
    package init?(_ text: some Sequence<UInt8>) {
        let fields = Self.fields(of: text)
        guard !fields.contains(where: { $0 == nil }) else { return nil }
        self.fields = fields.compactMap(\.self)
    }

    package init(ignoringMalformed text: some Sequence<UInt8>) {
        fields = Self.fields(of: text).compactMap(\.self)
    }

    private static func fields(of text: some Sequence<UInt8>) -> [(name: String, value: String)?] {
        Array(text).split(separator: UInt8(ascii: "&")).map { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormText.decode(parts[0]), let value = FormText.decode(parts.count > 1 ? parts[1] : [])
            else { return nil }
            return (name, value)
        }
    }

    /// Nil if it is missing or empty. The first of two with one name counts.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    package var names: [String] { fields.map(\.name) }

    /// Nil if each name occurs once.
    package var repeatedName: String? {
        var seen: Set<String> = []
        return names.first { !seen.insert($0).inserted }
    }

    package static func text(of fields: [(name: String, value: String)]) -> String {
        FormEncoding.encode(fields.map { ($0.name, $0.value) })
    }
}

extension HTTPRequest {
    /// The fields of the query. Nil if one is malformed.
    package var query: FormFields? { FormFields(queryText) }

    /// The well-formed fields of the query.
    package var parameters: FormFields { FormFields(ignoringMalformed: queryText) }

    private var queryText: some Sequence<UInt8> { target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst() }

    package var hasForm: Bool {
        contentType?.prefix { $0 != ";" }.lowercased() == "application/x-www-form-urlencoded"
    }

    /// The fields of the body. Nil if it is not a form.
    package var form: FormFields? { hasForm ? FormFields(body) : nil }
}
