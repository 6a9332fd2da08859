import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL

// The page at which a user signs in to a website or an app on another system, and what its form posts.
extension Apple {
    static let pagePath = "/auth/authorize"

    func page(_ request: HTTPRequest, now: Int64) throws -> HTTPReply {
        let asked = try AuthorizationRequest(ofApple: request, developer.services)
        guard request.method == "POST" else { return page(for: asked) }
        switch try SignInChoice(request, at: "Apple") {
        case .cancel(let user):
            return forged.reply(for: user) { _ in answer(to: asked, [("error", "user_cancelled_authorize")]) }
        case .signIn(let email):
            return try forged.reply(for: email) { changes in
                answer(to: asked, try signIn(WebUser(email, request.form), asked, changes, now: now))
            }
        }
    }

    private func answer(
        to request: AuthorizationRequest, _ parameters: [(String, String?)]
    ) -> AuthorizationAnswer {
        AuthorizationAnswer(
            of: "Apple", to: request.redirectURI, by: request.mode, [("state", request.state)] + parameters)
    }

    private func page(for request: AuthorizationRequest) -> HTTPReply {
        var fields: [SignInPage.Field] = []
        if request.scopes.contains("name") {
            fields.append(.text(name: "name", label: "Name, which the first answer has", value: "Ann Example"))
        }
        if request.scopes.contains("email") {
            fields.append(.checkbox(name: "hide_email", label: "Hide my email"))
        }
        return SignInPage(
            provider: "Apple", client: request.clientID, redirectURI: request.redirectURI, fields: fields
        ).reply
    }

    /// Issues a code.
    private func signIn(
        _ user: WebUser, _ request: AuthorizationRequest, _ changes: TokenChanges, now: Int64
    ) throws -> [(String, String?)] {
        let view = transfers.view
        let person = Person(
            subject: view.person(of: user.subject), audience: request.clientID,
            email: user.hidesEmail ? nil : user.email, era: .booleans, sharesEmail: request.scopes.contains("email"))
        transfers.remember(person)
        let code = RandomText.ofApple("c")
        let web = WebCode(redirectURI: request.redirectURI, nonce: request.nonce, changes: changes)
        let isFirst = grants.add(code, AuthorizationCode(person: person, issuedAt: now, web: web))
        let seen = person.seen(by: view)
        var token: String?
        if request.wantsToken {
            token = Mint(key: try keys.signing(.RS256, isForged: changes.isForged))
                .token(for: seen, hash: ("c_hash", code), authenticatedAt: now, web: web, now: now)
        }
        return [("code", code), ("id_token", token), ("user", isFirst ? user.description(for: request, seen) : nil)]
    }
}

/// The user of the page.
private struct WebUser {
    let subject: String
    let email: String
    let givenName: String
    let familyName: String
    let hidesEmail: Bool

    /// - Parameter form: `sub` takes the place of the subject that follows from the email, so that a user is one whom an app
    ///   has signed in.
    init(_ email: String, _ form: FormFields?) {
        self.email = email
        subject = form?["sub"] ?? RandomText.appleSubject(SHA256.hash(Array(email.lowercased().utf8)).prefix(16))
        let name = form?["name"] ?? ""
        givenName = String(name.prefix { $0 != " " })
        familyName = String(name.dropFirst(givenName.count).drop { $0 == " " })
        hidesEmail = form?["hide_email"] != nil
    }

    /// What the answer to the first consent has beside the token. Nil if nothing of it was asked for.
    func description(for request: AuthorizationRequest, _ person: Person) -> String? {
        var json: JSONObject = [:]
        if request.scopes.contains("name") {
            json["name"] = ["firstName": .string(givenName), "lastName": .string(familyName)]
        }
        if request.scopes.contains("email") { json["email"] = .string(person.address) }
        return json.members.isEmpty ? nil : json.description
    }
}

extension AuthorizationRequest {
    /// By the rules of Apple's documentation.
    fileprivate init(ofApple request: HTTPRequest, _ services: WebClients) throws(PageFault) {
        let query = try Self.query(of: request)
        try self.init(
            query, services,
            unknownClient: PageFault(
                "invalid_client", "Invalid client id: it is not a Services ID of the developer."),
            otherAddress: PageFault(
                "invalid_request", "Invalid web redirect url: it is not a return URL of the Services ID."))
        wantsToken = try Self.wantsToken(query["response_type"])
        guard scopes.isSubset(of: ["name", "email", "openid"]) else {
            throw PageFault("invalid_scope", "Invalid scope: known are name and email.")
        }
        mode = try Self.mode(query["response_mode"], wantsToken: wantsToken)
        guard mode == .formPost || scopes.isDisjoint(with: ["name", "email"]) else {
            throw PageFault(
                "invalid_request", "response_mode must be form_post when name or email scope is requested.")
        }
    }

    private static func wantsToken(_ text: String?) throws(PageFault) -> Bool {
        let types = text?.split(separator: " ").map(String.init) ?? []
        guard types.contains("code"), types.allSatisfy(["code", "id_token"].contains),
            Set(types).count == types.count
        else { throw PageFault("unsupported_response_type", "Invalid response type: code, or code id_token.") }
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
