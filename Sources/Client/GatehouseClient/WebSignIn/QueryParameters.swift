import Foundation

/// The parameters of an answer, in the form of OAuth (RFC 6749, appendix B).
struct QueryParameters {
    private let values: [String: [String]]

    init(of url: URL) {
        let query = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? ""
        let pairs = query.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1).map(Self.decoded) }
        values = Dictionary(grouping: pairs) { $0.first ?? "" }.mapValues { $0.map { $0.count > 1 ? $0[1] : "" } }
    }

    /// Nil also for a parameter that occurs twice (RFC 6749, section 3.1).
    subscript(_ name: String) -> String? {
        guard let found = values[name], found.count == 1 else { return nil }
        return found[0]
    }

    private static func decoded(_ text: Substring) -> String {
        let text = text.replacingOccurrences(of: "+", with: " ")
        return text.removingPercentEncoding ?? text
    }
}

extension URL {
    /// Every character that has a meaning in a query is encoded, also those that `URLQueryItem` leaves as they are.
    func appendingQuery(_ parameters: [(name: String, value: String)]) -> URL {
        let pairs = parameters.map { name, value in
            "\(name)=\(value.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? "")"
        }
        var parts = URLComponents(url: self, resolvingAgainstBaseURL: true)
        parts?.percentEncodedQuery = pairs.joined(separator: "&")
        return parts?.url ?? self
    }
}

extension String {
    /// The time depends on the lengths alone, so that it does not tell how much of a guess is right.
    func isEqual(inConstantTimeTo other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        // Without the parentheses, `|` would come before `^`.
        return zip(utf8, other.utf8).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
