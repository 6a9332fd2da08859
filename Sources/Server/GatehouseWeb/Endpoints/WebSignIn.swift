import Gatehouse
import JSON

/// `GET /api/auth/{provider}/start`: sends the browser to the page of a provider.
struct StartWebSignInEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/auth/{provider}/start"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let start = try auth.begin(
            try WebSignInRequest(request), in: request.cookie(.signIn), requestID: request.id)
        let cookie = Cookie.signIn.header(start.browser, maximumAge: start.lifetime)
        guard let response = Response.seeOther(start.page, headers: [cookie]) else { throw Refusal.unknownProvider }
        return response
    }

    func response(to problem: Problem, of request: Request) -> Response {
        .toBrowser(problem, of: request, by: auth.web)
    }
}

/// `GET` and `POST /api/auth/{provider}/callback`: where a provider sends the browser back to. Apple has it post a form.
struct FinishWebSignInEndpoint: Endpoint {
    let method: Method
    let path = "/api/auth/{provider}/callback"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let form = try method == .post ? request.form() : request.query()
        let address = try auth.finishWebSignIn(
            by: Provider(lowercaseName: request.pathArgument), state: form.single("state"), ProviderAnswer(form),
            in: request.cookie(.signIn), from: request.device, in: context)
        guard let response = Response.seeOther(address) else { throw Refusal.invalidRedirectURI }
        return response
    }

    func response(to problem: Problem, of request: Request) -> Response {
        .toBrowser(problem, of: request, by: auth.web)
    }
}

/// `GET /api/auth/ways`: what a page may offer its user.
struct WaysEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/auth/ways"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        .ok(WaysBody(web: auth.webProviderNames, codes: auth.codeChannels, development: auth.allowsDevLogin))
    }
}

// MARK: - Parameters

extension WebSignInRequest {
    /// Unknown parameters are ignored, as OAuth demands: `client_id`, `scope` and `nonce` among them.
    fileprivate init(_ request: Request) throws(Problem) {
        let query = try request.query()
        let names = ["code_challenge", "code_challenge_method", "response_type", "state", "dpop_jkt"]
        self.init(
            provider: Provider(lowercaseName: request.pathArgument), redirectURI: query.single("redirect_uri"),
            codeChallenge: query.single("code_challenge"),
            codeChallengeMethod: query.single("code_challenge_method"),
            responseType: query.single("response_type"), state: query.single("state"),
            keyThumbprint: query.single("dpop_jkt"),
            hasDuplicates: names.contains { query.values(of: $0).count > 1 })
    }
}

extension ProviderAnswer {
    fileprivate init(_ form: Form) {
        self.init(
            code: form.single("code"), identityToken: form.single("id_token"), user: form.single("user"),
            issuer: form.single("iss"), error: form.single("error"))
    }
}

private struct WaysBody: ResponseBody {
    let web: [String]
    let codes: [String]
    let development: Bool

    func write(to json: inout JSONObjectWriter) {
        json.member("web", .array(web.map(JSONValue.string)))
        json.member("codes", .array(codes.map(JSONValue.string)))
        json.member("development", development)
    }
}
