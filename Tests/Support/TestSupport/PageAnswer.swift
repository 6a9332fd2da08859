import Foundation

/// What a provider's page sends to a website through the browser.
package enum PageAnswer {
    /// The parameters in the query or the fragment of an address.
    package static func parameters(ofAddress address: String) -> [String: String] {
        guard let start = address.firstIndex(where: { "?#".contains($0) }) else { return [:] }
        let pairs = address[address.index(after: start)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (String(parts[0]), parts.count > 1 ? String(parts[1]).removingPercentEncoding ?? "" : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// The hidden fields of a page that sends itself.
    package static func parameters(ofPage html: String) -> [String: String] {
        let inputs = html.matches(of: /<input type="hidden" name="([^"]*)" value="([^"]*)">/)
        return Dictionary(inputs.map { (unescaped($0.output.1), unescaped($0.output.2)) }) { first, _ in first }
    }

    /// Where such a page sends itself.
    package static func action(ofPage html: String) -> String? {
        html.firstMatch(of: /<form method="post" action="([^"]*)">/).map { unescaped($0.output.1) }
    }

    private static func unescaped(_ text: Substring) -> String {
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
            .reduce(String(text)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }
}
