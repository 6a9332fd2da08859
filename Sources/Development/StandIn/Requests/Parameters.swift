import DevelopmentHTTP

/// The parameters of a request's query. The first of two with one name counts.
struct Parameters: Sendable {
    /// The names that the specifications, WeChat and QQ document. Only these are recorded: any other name may be content.
    private static let known: Set<String> = [
        "access_token", "appid", "client_id", "client_secret", "code", "code_challenge", "code_challenge_method",
        "code_verifier", "display", "fmt", "grant_type", "lang", "login_hint", "need_openid", "nonce",
        "oauth_consumer_key", "openid", "prompt", "redirect_uri", "refresh_token", "response_mode", "response_type",
        "scope", "secret", "state", "unionid",
    ]

    private let fields: [(name: String, value: String)]

    /// Parameters that are not well formed are ignored.
    init(_ request: HTTPRequest) {
        let query = Array(request.target.utf8).drop { $0 != UInt8(ascii: "?") }.dropFirst()
        fields = query.split(separator: UInt8(ascii: "&")).compactMap { pair in
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormText.decode(parts[0]), let value = FormText.decode(parts.count > 1 ? parts[1] : [])
            else { return nil }
            return (name, value)
        }
    }

    /// Nil if it is missing or empty.
    subscript(_ name: String) -> String? {
        fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    var knownNames: [String] { Self.known(fields.map(\.name)) }

    static func known(_ names: [String]) -> [String] { names.filter(known.contains) }
}
