/// The fields of a query, or of a body in `application/x-www-form-urlencoded`.
package struct FormFields: Sendable {
    private let fields: [(name: String, value: String)]

    /// Nil if a field is malformed.
    package init?(_ text: some Sequence<UInt8>) {
        var fields: [(name: String, value: String)] = []
        for pair in Array(text).split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormText.decode(parts[0]), let value = FormText.decode(parts.count > 1 ? parts[1] : [])
            else { return nil }
            fields.append((name, value))
        }
        self.fields = fields
    }

    /// Nil if it is missing or empty. The first of two with one name counts.
    package subscript(_ name: String) -> String? {
        fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    package var names: [String] { fields.map(\.name) }

    package var hasRepeatedName: Bool { Set(names).count < names.count }

    package static func text(of fields: [(name: String, value: String)]) -> String {
        fields.map { "\(FormText.encode($0.name))=\(FormText.encode($0.value))" }.joined(separator: "&")
    }
}

extension HTTPRequest {
    /// The fields of the query. Nil if one is malformed.
    package var query: FormFields? { FormFields(target.utf8.drop { $0 != UInt8(ascii: "?") }.dropFirst()) }

    package var hasForm: Bool {
        contentType?.prefix { $0 != ";" }.lowercased() == "application/x-www-form-urlencoded"
    }

    /// The fields of the body. Nil if it is not a form.
    package var form: FormFields? { hasForm ? FormFields(body) : nil }
}
