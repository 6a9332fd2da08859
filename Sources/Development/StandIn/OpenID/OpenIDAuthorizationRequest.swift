import DevelopmentHTTP
import JOSE
import OpenSSL

/// The parameters of `/openid/NAME/authorize`: OpenID Connect Core 1.0, section 3.1.2, and RFC 7636.
struct OpenIDAuthorizationRequest {
    let clientID: String
    let redirectURI: String
    let mode: AuthorizationAnswer.Mode
    let state: String?
    let nonce: String?
    let scopes: Set<String>
    /// The hash of the verifier with which the code is redeemed; nil for none.
    let challenge: String?
    /// The fault that the client is told, instead of the user being asked.
    var fault: PageFault?

    /// - Throws: what only the user may see, because the client or its address is not known.
    init(_ request: HTTPRequest, _ clients: WebClients, isGoogle: Bool) throws(PageFault) {
        guard let query = request.query, !query.hasRepeatedName else {
            throw PageFault("invalid_request", "A parameter is malformed, or given twice.")
        }
        clientID = query["client_id"] ?? ""
        guard let client = clients[clientID] else {
            throw PageFault("invalid_client", "The OAuth client was not found.")
        }
        redirectURI = query["redirect_uri"] ?? ""
        guard client.redirectURIs.contains(redirectURI) else {
            throw PageFault("redirect_uri_mismatch", "The redirect_uri is not registered for the client.")
        }
        let mode = AuthorizationAnswer.Mode(rawValue: query["response_mode"] ?? "query")
        self.mode = mode ?? .query
        state = query["state"]
        nonce = query["nonce"]
        scopes = Set(query["scope"]?.split(separator: " ").map(String.init) ?? [])
        challenge = query["code_challenge"]
        fault = mode == nil ? PageFault("invalid_request", "Unknown response_mode.") : fault(in: query)
        // Google shows what is wrong with a request, and lets the client go without an answer.
        if isGoogle, let fault { throw fault }
        if fault == nil, query["prompt"] == "none" {
            fault = PageFault("login_required", "The user must sign in.")
        }
    }

    private func fault(in query: FormFields) -> PageFault? {
        guard query["response_type"] == "code" else {
            return PageFault("unsupported_response_type", "The response_type must be code.")
        }
        guard scopes.contains("openid") else { return PageFault("invalid_scope", "The scope must have openid.") }
        guard challenge != nil || query["code_challenge_method"] == nil else {
            return PageFault("invalid_request", "The code_challenge is missing.")
        }
        guard let challenge else { return nil }
        guard query["code_challenge_method"] == "S256", Base64URL.decode(challenge)?.count == SHA256.byteCount else {
            return PageFault("invalid_request", "The code_challenge must be for S256.")
        }
        return nil
    }
}
