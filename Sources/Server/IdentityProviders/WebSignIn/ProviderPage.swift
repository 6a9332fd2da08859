import Curl

/// The address of a provider's page with what Gatehouse asks for.
enum ProviderPage {
    /// - Parameters:
    ///   - url: without a fragment. Parameters that it has already stay in front (RFC 6749, section 3.1).
    ///   - fragment: with its sign.
    static func address(
        _ url: String, _ parameters: [(String, String)], fragment: String = ""
    ) -> String {
        let query = String(decoding: FormEncoding.encode(parameters), as: UTF8.self)
        let isOpen = url.hasSuffix("?") || url.hasSuffix("&")
        return url + (isOpen ? "" : url.contains("?") ? "&" : "?") + query + fragment
    }
}
