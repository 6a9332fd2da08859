import JSON

/// Why Apple refuses: RFC 6749, section 5.2, as Apple's `ErrorResponse` has it.
struct OAuthError: Error, Equatable {
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case unsupportedGrantType = "unsupported_grant_type"
    }

    let code: Code
    let reason: String

    init(_ code: Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Apple never says what is wrong with a client. The list of requests does.
    var json: JSONObject {
        var json: JSONObject = ["error": .string(code.rawValue)]
        if code != .invalidClient { json["error_description"] = .string(reason) }
        return json
    }
}
