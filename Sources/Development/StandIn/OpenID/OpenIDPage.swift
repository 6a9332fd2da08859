import DevelopmentHTTP
import JSON

/// `/openid/NAME/authorize`: the page at which a user signs in, and what its form posts.
struct OpenIDPage {
    let provider: OpenIDProvider
    let now: Int64

    func answer(_ request: HTTPRequest) throws(PageFault) -> HTTPReply {
        let asked = try OpenIDAuthorizationRequest(request, provider.clients, isGoogle: provider.isGoogle)
        if let fault = asked.fault {
            return answer(to: asked, [("error", fault.error), ("error_description", fault.reason)]).reply
        }
        guard request.method == "POST" else { return page(for: asked).reply }
        switch try SignInChoice(request, at: provider.title) {
        case .cancel(let user):
            let change = provider.forged.next(for: user)
            let answer = answer(
                to: asked, [("error", "access_denied"), ("error_description", "The user has declined.")])
            return (change?.changed(answer) ?? answer).reply
        case .signIn(let user):
            let change = provider.forged.next(for: user)
            let order = OpenIDSignIn(request: asked, user: user, form: request.form, isGoogle: provider.isGoogle)
                .order(change?.token ?? TokenChanges())
            let code = provider.addCode(OpenIDCode(request: asked, order: order, issuedAt: now))
            let answer = answer(to: asked, [("code", code)])
            return (change?.changed(answer) ?? answer).reply
        }
    }

    private func answer(
        to request: OpenIDAuthorizationRequest, _ parameters: [(String, String?)]
    ) -> AuthorizationAnswer {
        AuthorizationAnswer(
            of: provider.title, to: request.redirectURI, by: request.mode,
            parameters + [("state", request.state), ("iss", provider.settings.issuer)])
    }

    private func page(for request: OpenIDAuthorizationRequest) -> SignInPage {
        SignInPage(
            of: provider.title, for: request.clientID, redirectURI: request.redirectURI,
            fields: request.scopes.contains("profile")
                ? [.text(name: "name", label: "Name", value: "Ann Example")] : [])
    }
}

/// What the identity token of a user of the page says.
struct OpenIDSignIn {
    let request: OpenIDAuthorizationRequest
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
        order.accessToken = "at." + RandomText.text(32)
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
