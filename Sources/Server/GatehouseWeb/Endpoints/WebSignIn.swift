import Gatehouse
import JSON

/// Signing in through a browser.
extension Endpoints {
    /// Sends the browser to the page of a provider.
    func startWebSignIn(_ request: Request, in context: inout RequestContext) throws -> Response {
        let start = try auth.begin(
            try WebSignInRequest(request), in: request.cookie(.signIn), requestID: request.id)
        let cookie = Cookie.signIn.header(start.browser, maximumAge: start.lifetime)
        guard let response = Response.seeOther(start.page, headers: [cookie]) else { throw Refusal.unknownProvider }
        return response
    }

    /// Where a provider sends the browser back to.
    func finishWebSignIn(_ request: Request, in context: inout RequestContext) throws -> Response {
        try finishPostedWebSignIn(request, answer: try request.query(), in: &context)
    }

    /// Apple has the browser post a form.
    func finishPostedWebSignIn(_ request: Request, answer: Form, in context: inout RequestContext) throws -> Response {
        let address = try auth.finishWebSignIn(
            by: Provider(lowercaseName: request.pathArgument), state: answer.single("state"), ProviderAnswer(answer),
            in: request.cookie(.signIn), from: request.device, in: context)
        guard let response = Response.seeOther(address) else { throw Refusal.invalidRedirectURI }
        return response
    }

    func browserResponse(to problem: Problem, of request: Request) -> Response {
        .toBrowser(problem, of: request, by: auth.web)
    }

    /// Logs in by the code of a sign-in through a browser. It is also the token endpoint for OAuth libraries, which send a form
    /// and get an answer in OAuth's words.
    func exchange(
        _ request: Request, _ exchange: ExchangeRequest, in context: inout RequestContext
    ) throws -> Response {
        switch exchange {
        case .form(let form): return try grantTokens(for: form, of: request, in: &context)
        case .json(let body):
            if body.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
            let result = try auth.exchange(
                body.grant, nickname: body.nickname, boundBy: request.proof, from: request.device, in: &context)
            return .login(result, inCookie: body.keepsSessionInCookie)
        }
    }

    private func grantTokens(
        for form: Form, of request: Request, in context: inout RequestContext
    ) throws -> Response {
        switch try form.required("grant_type", atMost: FieldLimit.identifier) {
        case "authorization_code":
            let grant = CodeGrant(
                code: try form.required("code", atMost: FieldLimit.authorizationCode),
                codeVerifier: try form.required("code_verifier", atMost: FieldLimit.identifier),
                redirectURI: try form.optional("redirect_uri", atMost: FieldLimit.url))
            let result = try auth.exchange(
                grant, boundBy: request.proof, from: request.device, in: &context)
            return .ok(OAuthTokenBody(tokens: result.tokens))
        case "refresh_token":
            let token = try form.required("refresh_token", atMost: FieldLimit.token)
            return .ok(
                OAuthTokenBody(
                    tokens: try auth.refresh(token, proof: request.proof, from: request.device, in: &context)))
        default: throw Problem.unsupportedGrantType
        }
    }

    /// AppAuth takes an OAuth error for the end of the session, whatever the status: a failure of this server is none.
    func exchangeResponse(to problem: Problem, of request: Request) -> Response {
        request.hasForm && problem.entry.status < 500 ? .oauthError(problem) : problem.response(requestID: request.id)
    }

    /// What a page may offer its user.
    func ways(_ request: Request, in context: inout RequestContext) throws -> Response {
        .ok(
            WaysBody(
                web: auth.webProviderNames, codes: auth.codeChannels, number: auth.hasNumbers,
                passkey: auth.hasPasskeys, guests: auth.guestAccess, development: auth.allowsDevLogin))
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
    /// One-tap sign-in, by which apps sign in, and no page.
    let number: Bool
    let passkey: Bool
    let guests: GuestPolicy.Access
    let development: Bool

    func write(to json: inout JSONObjectWriter) {
        json.member("web", .array(web.map(JSONValue.string)))
        json.member("codes", .array(codes.map(JSONValue.string)))
        json.member("number", number)
        json.member("passkey", passkey)
        json.member("guests", guests.rawValue)
        json.member("development", development)
    }
}

// MARK: - Exchange

/// What logs in at the token endpoint: Gatehouse's own body, or the form of an OAuth library.
enum ExchangeRequest {
    case json(ExchangeBody)
    case form(Form)
}

extension Body<ExchangeRequest> {
    static let exchange = Self([.json, .form]) { request in
        request.hasForm ? .form(try request.form()) : .json(try request.read(ExchangeBody.self))
    }
}

struct ExchangeBody: RequestBody {
    let grant: CodeGrant
    let nickname: String?
    let keepsSessionInCookie: Bool

    init(reading fields: inout FieldReader) {
        grant = CodeGrant(
            code: fields.required("code", atMost: FieldLimit.authorizationCode),
            codeVerifier: fields.required("codeVerifier", atMost: FieldLimit.identifier),
            redirectURI: fields.optional("redirectUri", atMost: FieldLimit.url))
        nickname = fields.optionalName("nickname")
        keepsSessionInCookie = fields.sessionPlace() == .cookie
    }
}

/// Where a page wants its refresh token.
enum SessionPlace: String, CaseIterable {
    case cookie
}

extension FieldReader {
    /// Nil for the body of the answer.
    mutating func sessionPlace() -> SessionPlace? { optionalCase("session") }
}

extension Response {
    /// The answer to a login, with the refresh token in a cookie instead of the body for a page.
    static func login(_ result: LoginResult, inCookie: Bool) -> Response {
        let response = Response.ok(LoginBody(result, withoutRefreshToken: inCookie))
        return inCookie ? response.settingSession(result.tokens) : response
    }

    /// An error of the token endpoint (RFC 6749, section 5.2).
    fileprivate static func oauthError(_ problem: Problem) -> Response {
        let type = Header("Content-Type", "application/json")
        return Response(status: 400, headers: [type], body: OAuthErrorBody(problem: problem).json)
    }
}

/// RFC 6749, section 5.1.
private struct OAuthTokenBody: ResponseBody {
    let tokens: TokenPair

    func write(to json: inout JSONObjectWriter) {
        json.member("access_token", tokens.accessToken)
        json.member("token_type", tokens.isBound ? "DPoP" : "Bearer")
        json.member("expires_in", tokens.expiresIn.wholeSeconds)
        json.member("refresh_token", tokens.refreshToken)
    }
}

private struct OAuthErrorBody: ResponseBody {
    let problem: Problem

    func write(to json: inout JSONObjectWriter) {
        json.member("error", error)
        json.member("error_description", problem.entry.detail)
    }

    private var error: String {
        switch problem {
        case .refused(.invalidProof(.nonce)): "use_dpop_nonce"
        case .refused(.invalidProof): "invalid_dpop_proof"
        case .refused(let refusal): refusal.endsSession ? "invalid_grant" : "server_error"
        case .unsupportedGrantType: "unsupported_grant_type"
        default: "invalid_request"
        }
    }
}

extension Refusal {
    /// Whether a client has to sign in again. OAuth libraries drop their tokens on `invalid_grant`.
    fileprivate var endsSession: Bool {
        switch self {
        case .invalidGrant, .invalidRefreshToken, .notARefreshToken, .refreshTokenExpired, .refreshTokenRevoked,
            .refreshTokenReused, .userDisabled, .identity:
            true
        default: false
        }
    }
}
