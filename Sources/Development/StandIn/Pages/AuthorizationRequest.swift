import DevelopmentHTTP

/// The parameters with which a client sends a browser to a provider's page: OpenID Connect Core 1.0, section 3.1.2, and
/// RFC 7636.
struct AuthorizationRequest {
    let clientID: String
    let redirectURI: String
    var mode = AuthorizationAnswer.Mode.query
    let state: String?
    var nonce: String?
    var scopes: Set<String> = []
    /// The hash of the verifier with which the code is redeemed; nil for none.
    var challenge: String?
    /// Whether an identity token comes beside the code.
    var wantsToken = false
    /// The fault that the client is told, instead of the user being asked.
    var fault: PageFault?
}

extension AuthorizationRequest {
    static func query(of request: HTTPRequest) throws(PageFault) -> FormFields {
        guard let query = request.query, query.repeatedName == nil else {
            throw PageFault("invalid_request", "A parameter is malformed, or given twice.")
        }
        return query
    }

    /// - Throws: what only the user may see, because the client or its address is not known.
    init(
        _ query: FormFields, _ clients: WebClients, unknownClient: PageFault, otherAddress: PageFault
    ) throws(PageFault) {
        guard let client = clients[query["client_id"] ?? ""] else { throw unknownClient }
        guard let address = query["redirect_uri"], client.redirectURIs.contains(address) else { throw otherAddress }
        self.init(
            clientID: client.id, redirectURI: address, state: query["state"], nonce: query["nonce"],
            scopes: Set(query["scope"]?.split(separator: " ").map(String.init) ?? []),
            challenge: query["code_challenge"])
    }
}
