import DevelopmentHTTP
import JSON

/// An error of a token endpoint (RFC 6749, section 5.2), with the descriptions of Google.
struct TokenEndpointError: Error, Equatable {
    let error: String
    let description: String
    /// Google's own word, where it has one.
    var googleError: String?
    /// Whether the client has to authenticate in another way.
    var isUnauthorized = false

    init(_ error: String, _ description: String, googleError: String? = nil, isUnauthorized: Bool = false) {
        self.error = error
        self.description = description
        self.googleError = googleError
        self.isUnauthorized = isUnauthorized
    }

    static let noForm = TokenEndpointError("invalid_request", "The body must be a form with each field once.")
    static let twoAuthentications = TokenEndpointError(
        "invalid_request", "The client has authenticated in the header and in the body.")
    static let unknownClient = TokenEndpointError(
        "invalid_client", "The OAuth client was not found.", isUnauthorized: true)
    static let wrongSecret = TokenEndpointError("invalid_client", "Unauthorized", isUnauthorized: true)
    static let unknownCode = TokenEndpointError("invalid_grant", "Malformed auth code.")
    static let endedCode = TokenEndpointError("invalid_grant", "Bad Request")
    static let otherRedirectURI = TokenEndpointError(
        "invalid_grant", "Bad Request", googleError: "redirect_uri_mismatch")
    static let missingVerifier = TokenEndpointError("invalid_grant", "Missing code verifier.")
    static let wrongVerifier = TokenEndpointError("invalid_grant", "Invalid code verifier.")
    static let needlessVerifier = TokenEndpointError(
        "invalid_grant", "code_verifier or verifier is not needed.")
    static let otherGrant = TokenEndpointError("unsupported_grant_type", "Invalid grant_type.")

    static func missing(_ name: String) -> TokenEndpointError {
        TokenEndpointError("invalid_request", "Missing required parameter: \(name)")
    }

    func reply(isGoogle: Bool) -> HTTPReply {
        let json: JSONObject = [
            "error": .string(isGoogle ? googleError ?? error : error), "error_description": .string(description),
        ]
        let reply = HTTPReply(status: isUnauthorized ? "401 Unauthorized" : "400 Bad Request", json: json)
        return (isUnauthorized ? reply.adding("WWW-Authenticate", "Basic") : reply).adding("Cache-Control", "no-store")
    }
}
