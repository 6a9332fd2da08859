import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL

/// `/openid/NAME/authorize`: the page at which a user signs in, and what its form posts.
struct OpenIDPage {
    let provider: OpenIDProvider
    let now: Int64

    func answer(_ request: HTTPRequest) throws(PageFault) -> HTTPReply {
        let asked = try AuthorizationRequest(
            ofOpenID: request, provider.clients, isGoogle: provider.isGoogle)
        if let fault = asked.fault {
            return answer(to: asked, [("error", fault.error), ("error_description", fault.reason)]).reply
        }
        guard request.method == "POST" else { return page(for: asked).reply }
        switch try SignInChoice(request, at: provider.title) {
        case .cancel(let user):
            return provider.forged.reply(for: user) { _ in
                answer(to: asked, [("error", "access_denied"), ("error_description", "The user has declined.")])
            }
        case .signIn(let user):
            return provider.forged.reply(for: user) { changes in
                let order = OpenIDSignIn(request: asked, user: user, form: request.form, isGoogle: provider.isGoogle)
                    .order(changes)
                let code = provider.addCode(OpenIDCode(request: asked, order: order, issuedAt: now))
                return answer(to: asked, [("code", code)])
            }
        }
    }

    private func answer(
        to request: AuthorizationRequest, _ parameters: [(String, String?)]
    ) -> AuthorizationAnswer {
        AuthorizationAnswer(
            of: provider.title, to: request.redirectURI, by: request.mode,
            parameters + [("state", request.state), ("iss", provider.settings.issuer)])
    }

    private func page(for request: AuthorizationRequest) -> SignInPage {
        SignInPage(
            provider: provider.title, client: request.clientID, redirectURI: request.redirectURI,
            fields: request.scopes.contains("profile")
                ? [.text(name: "name", label: "Name", value: "Ann Example")] : [])
    }
}

/// What the identity token of a user of the page says.
struct OpenIDSignIn {
    let request: AuthorizationRequest
    let user: String
    /// `sub` and `name` take the place of what follows from the user.
    let form: FormFields?
    let isGoogle: Bool

    func order(_ changes: TokenChanges) -> IdentityOrder {
        var order = IdentityOrder()
        order.subject = form?["sub"] ?? subject
        order.audience = .string(request.clientID)
        order.nonce = request.nonce
        order.email = user.contains("@") ? user : nil
        order.name = form?["name"]
        order.accessToken = RandomText.accessToken
        order.isForged = changes.isForged
        order.header = changes.header
        order.claims = withheld
        for (name, value) in changes.claims.members { order.claims[name] = value }
        return order
    }

    private var subject: String {
        let user = user.lowercased()
        return isGoogle ? "1" + RandomText.digits(20, for: user) : RandomText.text(24, for: user)
    }

    /// A client gets what it has asked for.
    private var withheld: JSONObject {
        let groups = [
            "email": ["email", "email_verified"], "profile": ["name", "given_name", "family_name", "picture"],
        ]
        return JSONObject(
            groups.filter { !request.scopes.contains($0.key) }.flatMap(\.value).map { ($0, JSONValue.null) })
    }
}

extension AuthorizationRequest {
    fileprivate init(ofOpenID request: HTTPRequest, _ clients: WebClients, isGoogle: Bool) throws(PageFault) {
        let query = try Self.query(of: request)
        try self.init(
            query, clients, unknownClient: PageFault("invalid_client", "The OAuth client was not found."),
            otherAddress: PageFault(
                "redirect_uri_mismatch", "The redirect_uri is not registered for the client."))
        let mode = AuthorizationAnswer.Mode(rawValue: query["response_mode"] ?? "query")
        self.mode = mode ?? .query
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
