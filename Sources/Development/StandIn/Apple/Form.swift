import DevelopmentHTTP

/// The fields of a body in `application/x-www-form-urlencoded`.
struct Form {
    /// The fields of RFC 6749, 7009 and 7636, of OpenID Connect, and of Apple's migration of users. Only these names may be logged: with curl, a body of any other type is sent
    /// as a form, whose names then are its content.
    private static let known: Set<String> = [
        "client_id", "client_secret", "code", "code_verifier", "grant_type", "nonce", "redirect_uri", "refresh_token",
        "response_mode", "response_type", "scope", "state", "sub", "target", "token", "token_type_hint", "transfer_sub",
    ]

    private let fields: [(name: String, value: String)]

    init(_ request: HTTPRequest) throws(OAuthError) {
        guard request.contentType?.prefix(while: { $0 != ";" }).lowercased() == "application/x-www-form-urlencoded"
        else { throw OAuthError(.invalidRequest, "the Content-Type is not application/x-www-form-urlencoded") }
        try self.init(request.body)
    }

    init(_ body: [UInt8]) throws(OAuthError) {
        var fields: [(name: String, value: String)] = []
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = FormText.decode(parts[0]), let value = FormText.decode(parts.count > 1 ? parts[1] : [])
            else {
                throw OAuthError(.invalidRequest, "the body is not a form")
            }
            guard !fields.contains(where: { $0.name == name }) else {
                throw OAuthError(
                    .invalidRequest, "\(Self.known.contains(name) ? name : "a field") is given twice")
            }
            fields.append((name, value))
        }
        self.fields = fields
    }

    var knownNames: [String] { Self.known(fields.map(\.name)) }

    static func known(_ names: [String]) -> [String] { names.filter(known.contains) }

    /// Nil if it is missing or empty.
    subscript(_ name: String) -> String? {
        fields.first { $0.name == name && !$0.value.isEmpty }?.value
    }

    func required(_ name: String) throws(OAuthError) -> String {
        guard let value = self[name] else { throw OAuthError(.invalidRequest, "\(name) is missing") }
        return value
    }
}
