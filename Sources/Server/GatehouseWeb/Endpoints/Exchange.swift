import Gatehouse
import JSON

/// `POST /api/auth/exchange`: logs in by the code of a sign-in through a browser.
///
/// It is also the token endpoint for OAuth libraries, which send a form and get an answer in OAuth's words.
struct ExchangeEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/exchange"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        guard !request.hasForm else { return try respondToForm(request, in: &context) }
        let body = try request.read(ExchangeBody.self)
        if body.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let result = try auth.exchange(
            body.grant, nickname: body.nickname, boundBy: request.proof, from: request.device, in: &context)
        return .login(result, inCookie: body.keepsSessionInCookie)
    }

    func response(to problem: Problem, of request: Request) -> Response {
        // AppAuth takes an OAuth error for the end of the session, whatever the status: a failure of this server is none.
        request.hasForm && problem.entry.status < 500 ? .oauthError(problem) : problem.response(requestID: request.id)
    }

    private func respondToForm(_ request: Request, in context: inout RequestContext) throws -> Response {
        let form = try request.form()
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
}

// MARK: - Bodies

private struct ExchangeBody: RequestBody {
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
