import Gatehouse
import JSON

/// `POST /api/auth/refresh`: exchanges a refresh token for its successor.
struct RefreshEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/refresh"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        if request.body.isEmpty, request.bytes(of: .origin) != nil {
            return try refreshCookie(of: request, in: &context)
        }
        let body = try request.read(RefreshBody.self)
        return .ok(
            TokenBody(
                try auth.refresh(
                    body.refreshToken, proof: request.proof, from: request.device, in: &context)))
    }

    /// A page sends no body: its refresh token is in a cookie that its scripts cannot read. A refusal leaves the cookie alone,
    /// because a login in another tab may have replaced it since. With `session=optional` in the query, a browser without a
    /// session is no failure, which it would write to its console.
    private func refreshCookie(of request: Request, in context: inout RequestContext) throws -> Response {
        try request.requireOrigin(by: auth.web)
        guard let token = request.cookie(.session) else {
            guard try request.query().single("session") == "optional" else { throw Refusal.invalidRefreshToken }
            return .noContent
        }
        let tokens = try auth.refresh(token, proof: request.proof, from: request.device, in: &context)
        return Response.ok(TokenBody(tokens, withoutRefreshToken: true)).settingSession(tokens)
    }
}

private struct RefreshBody: RequestBody {
    let refreshToken: String

    init(reading fields: inout FieldReader) {
        refreshToken = fields.required("refreshToken", atMost: FieldLimit.token)
    }
}

/// The tokens in an answer, without the refresh token for a page that has it in a cookie.
struct TokenBody: ResponseBody {
    private let tokens: TokenPair
    private let refreshToken: String?

    init(_ tokens: TokenPair, withoutRefreshToken: Bool = false) {
        self.tokens = tokens
        refreshToken = withoutRefreshToken ? nil : tokens.refreshToken
    }

    func write(to json: inout JSONObjectWriter) {
        json.member("accessToken", tokens.accessToken)
        json.member("refreshToken", refreshToken)
        json.member("tokenType", tokens.isBound ? "DPoP" : "Bearer")
        json.member("expiresIn", tokens.expiresIn.wholeSeconds)
    }
}
