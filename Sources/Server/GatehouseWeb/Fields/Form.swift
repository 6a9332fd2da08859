import Gatehouse
import Text

/// A body of the type `application/x-www-form-urlencoded`, or a query, as OAuth clients send it (RFC 6749, appendix B).
///
/// Unknown parameters are ignored, because such clients send more of them. The text is split and decoded once: it may have
/// 64 KiB, and endpoints ask for many names.
struct Form {
    /// More are sent only to cost time.
    static let mostPairs = 64

    private let pairs: [(name: String, value: String)]

    init(_ text: ArraySlice<UInt8>, atMost limit: Int = mostPairs) throws(Problem) {
        let parts = text.split(separator: UInt8(ascii: "&"), maxSplits: limit)
        guard parts.count <= limit else { throw .tooManyParameters(limit: limit) }
        pairs = parts.map { part in
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            return (FormEncoding.decode(part[..<end]).text, FormEncoding.decode(part[end...].dropFirst()).text)
        }
    }

    func values(of name: String) -> [String] { pairs.compactMap { $0.name == name ? $0.value : nil } }

    /// Nil if it is missing, empty, or sent more than once.
    func single(_ name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 && !values[0].isEmpty ? values[0] : nil
    }

    /// A parameter that may be missing. An empty one counts as missing (RFC 6749, section 3.2).
    func optional(_ name: String, atMost limit: Int) throws(Problem) -> String? {
        values(of: name).allSatisfy(\.isEmpty) ? nil : try required(name, atMost: limit)
    }

    /// A parameter that must be sent once, with a value (RFC 6749, section 3.2).
    func required(_ name: String, atMost limit: Int) throws(Problem) -> String {
        let values = values(of: name)
        guard let value = values.first, !value.isEmpty else { throw Self.fault(name, "is required") }
        guard values.count == 1 else { throw Self.fault(name, "must be sent once") }
        guard value.utf8.count <= limit else { throw Self.fault(name, "must be at most \(limit) bytes") }
        return value
    }

    static func fault(_ name: String, _ message: String) -> Problem {
        .invalidRequest([FieldError(field: name, message: message)])
    }
}
