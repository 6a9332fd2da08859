import DevelopmentHTTP
import JSON

/// An error of a token endpoint: RFC 6749, section 5.2.
struct OAuthError: Error, Equatable {
    enum Code: String {
        case invalidRequest = "invalid_request"
        case invalidClient = "invalid_client"
        case invalidGrant = "invalid_grant"
        case invalidScope = "invalid_scope"
        case unsupportedGrantType = "unsupported_grant_type"
        /// Google's own word.
        case otherRedirectURI = "redirect_uri_mismatch"
    }

    let code: Code
    /// For the request log, so it contains nothing of the request.
    let reason: String
    /// For the client. Nil for none.
    let description: String?
    var status = "400 Bad Request"

    init(_ code: Code, _ reason: String, description: String?) {
        (self.code, self.reason, self.description) = (code, reason, description)
    }

    init(_ code: Code, _ reason: String) {
        self.init(code, reason, description: reason)
    }

    var reply: HTTPReply {
        var json: JSONObject = ["error": .string(code.rawValue)]
        json["error_description"] = description.map(JSONValue.string)
        return HTTPReply(status: status, json: json)
    }
}
