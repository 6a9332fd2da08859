import DevelopmentHTTP

/// The parameters of `GET /auth/authorize`, by the rules of Apple's documentation.
struct WebAuthorizationRequest {
    private static let responseTypes: Set<String> = ["code", "id_token"]
    private static let scopes: Set<String> = ["name", "email", "openid"]

    let clientID: String
    let redirectURI: String
    /// Whether an identity token comes beside the code.
    let wantsToken: Bool
    let mode: AuthorizationAnswer.Mode
    let scopes: Set<String>
    let state: String?
    let nonce: String?

    init(_ request: HTTPRequest, _ services: ServicesIDs) throws(PageFault) {
        guard let query = request.query, !query.hasRepeatedName else {
            throw PageFault("invalid_request", "A parameter is malformed, or given twice.")
        }
        clientID = query["client_id"] ?? ""
        guard let registered = services.redirectURIs(of: clientID) else {
            throw PageFault("invalid_client", "Invalid client id: it is not a Services ID of the developer.")
        }
        redirectURI = query["redirect_uri"] ?? ""
        guard registered.contains(redirectURI) else {
            throw PageFault("invalid_request", "Invalid web redirect url: it is not a return URL of the Services ID.")
        }
        wantsToken = try Self.wantsToken(query["response_type"])
        scopes = Set(query["scope"]?.split(separator: " ").map(String.init) ?? [])
        guard scopes.isSubset(of: Self.scopes) else {
            throw PageFault("invalid_scope", "Invalid scope: known are name and email.")
        }
        mode = try Self.mode(query["response_mode"], wantsToken: wantsToken)
        guard mode == .formPost || scopes.isDisjoint(with: ["name", "email"]) else {
            throw PageFault(
                "invalid_request", "response_mode must be form_post when name or email scope is requested.")
        }
        state = query["state"]
        nonce = query["nonce"]
    }

    private static func wantsToken(_ text: String?) throws(PageFault) -> Bool {
        let types = text?.split(separator: " ").map(String.init) ?? []
        guard types.contains("code"), types.allSatisfy(responseTypes.contains), Set(types).count == types.count else {
            throw PageFault("unsupported_response_type", "Invalid response type: code, or code id_token.")
        }
        return types.count == 2
    }

    private static func mode(_ text: String?, wantsToken: Bool) throws(PageFault) -> AuthorizationAnswer.Mode {
        guard let text else { return wantsToken ? .fragment : .query }
        guard let mode = AuthorizationAnswer.Mode(rawValue: text), mode != .query || !wantsToken else {
            throw PageFault("invalid_request", "Invalid response mode: an id_token needs fragment or form_post.")
        }
        return mode
    }
}
