import Gatehouse
import JSON

extension Endpoints {
    /// Exchanges a refresh token for its successor.
    func refresh(_ request: Request, _ body: RefreshBody?, in context: inout RequestContext) throws -> Response {
        if let body {
            return .ok(
                TokenBody(
                    try auth.refresh(
                        body.refreshToken, proof: request.proof, from: request.device, in: &context)))
        }
        guard request.bytes(of: .origin) != nil else { throw Problem.invalidJSON(InvalidJSON.missingBody) }
        return try refreshCookie(of: request, in: &context)
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

    /// Ends the session of an access token, or of a refresh token alone. A client sends the refresh token in the body; a page,
    /// whose request has neither a body nor an access token, sends it in the session's cookie.
    func logOut(_ request: Request, _ body: LogoutBody?, in context: inout RequestContext) throws -> Response {
        let hasNone = request.body.isEmpty && request.accessToken == nil
        let token = hasNone ? try request.sessionCookie(by: auth.web) : body?.refreshToken
        switch (request.accessToken, token) {
        case (let access?, let refresh):
            try auth.logOut(
                access, proof: request.proof, refreshToken: refresh, from: request.device, in: &context)
        case (nil, let refresh?):
            try auth.logOut(refreshToken: refresh, proof: request.proof, from: request.device, in: &context)
        case (nil, nil): throw Refusal.noTokenToEnd
        }
        return hasNone
            ? Response.noContent.removingSession
            : try Response.noContent.endingSession(of: request, by: auth, in: context)
    }

    /// Ends the session of a token, for clients that know OAuth and not Gatehouse (RFC 7009). The token says itself of which
    /// kind it is, so `token_type_hint` is not needed.
    func revoke(_ request: Request, _ form: Form, in context: inout RequestContext) throws -> Response {
        let token = try form.required("token", atMost: FieldLimit.token)
        try auth.revoke(token, proof: request.proof, from: request.device, in: &context)
        return .ok(EmptyBody())
    }

    /// Ends every session of the caller.
    func logOutEverywhere(_ request: Request, in context: inout RequestContext) throws -> Response {
        try auth.logOutEverywhere(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        return try Response.noContent.endingSession(of: request, by: auth, in: context)
    }

    /// Lists the caller's active sessions.
    func sessions(_ request: Request, of caller: Caller, in context: inout RequestContext) throws -> Response {
        let sessions = try auth.sessions(of: caller)
        return .ok(SessionListBody(sessions: sessions.map { SessionBody($0, current: caller.sessionID) }))
    }

    /// Ends one of the caller's sessions.
    func endSession(_ request: Request, of caller: Caller, in context: inout RequestContext) throws -> Response {
        try auth.endSession(SessionID(request.pathArgument), of: caller, from: request.device, in: context)
        return .noContent
    }
}

struct RefreshBody: RequestBody {
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

struct LogoutBody: RequestBody {
    let refreshToken: String?

    init(reading fields: inout FieldReader) {
        refreshToken = fields.optional("refreshToken", atMost: FieldLimit.token)
    }
}

private struct SessionListBody: ResponseBody {
    let sessions: [SessionBody]

    func write(to json: inout JSONObjectWriter) {
        json.member("sessions", objects: sessions) { $0.write(to: &$1) }
    }
}

/// A session in the caller's list of sessions, and in the export.
struct SessionBody: ResponseBody {
    let session: Session
    /// The session of the request.
    let current: SessionID

    init(_ session: Session, current: SessionID) {
        (self.session, self.current) = (session, current)
    }

    func write(to json: inout JSONObjectWriter) {
        json.member("id", session.id.text)
        json.member("provider", session.provider.rawValue)
        json.member("device", session.device.userAgent)
        json.member("address", session.device.address)
        json.member("lastDevice", session.lastDevice.userAgent)
        json.member("lastAddress", session.lastDevice.address)
        json.member("createdAt", session.createdAt.description)
        json.member("lastUsedAt", session.token.issuedAt.description)
        json.member("current", session.id == current)
        json.member("bound", session.isBound)
    }
}
