import Gatehouse
import JSON

/// `POST /api/auth/logout`: ends the session of an access token, or of a refresh token alone.
struct LogoutEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/logout"
    let auth: AuthService

    func isAuthorisedByAccessToken(_ request: Request) -> Bool { request.accessToken != nil }

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let token = try refreshToken(in: request)
        switch (request.accessToken, token) {
        case (let access?, let refresh):
            try auth.logOut(
                access, proof: request.proof, refreshToken: refresh, from: request.device, in: &context)
        case (nil, let refresh?):
            try auth.logOut(refreshToken: refresh, proof: request.proof, from: request.device, in: &context)
        case (nil, nil): throw Refusal.noTokenToEnd
        }
        let hasEndedCookie = request.accessToken == nil && request.body.isEmpty
        return hasEndedCookie
            ? Response.noContent.removingSession
            : try Response.noContent.endingSession(of: request, by: auth, in: context)
    }

    /// That of the body, or of a page's cookie in a request without a body and an access token.
    private func refreshToken(in request: Request) throws -> String? {
        guard request.body.isEmpty, request.accessToken == nil else {
            return try request.readIfPresent(LogoutBody.self)?.refreshToken
        }
        return try request.sessionCookie(by: auth.web)
    }
}

/// `POST /api/auth/revoke`: ends the session of a token, for clients that know OAuth and not Gatehouse (RFC 7009).
struct RevokeEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/revoke"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        // The token says itself of which kind it is, so `token_type_hint` is not needed.
        let token = try request.form().required("token", atMost: FieldLimit.token)
        try auth.revoke(token, proof: request.proof, from: request.device, in: &context)
        return .ok(EmptyBody())
    }
}

/// `POST /api/auth/logout-all`: ends every session of the caller.
struct LogoutEverywhereEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/logout-all"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        try auth.logOutEverywhere(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        return try Response.noContent.endingSession(of: request, by: auth, in: context)
    }
}

/// `GET /api/users/me/sessions`: lists the caller's active sessions.
struct SessionsEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me/sessions"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        let sessions = try auth.sessions(of: caller)
        return .ok(SessionListBody(sessions: sessions.map { SessionBody($0, current: caller.sessionID) }))
    }
}

/// `DELETE /api/users/me/sessions/{id}`: ends one of the caller's sessions.
struct EndSessionEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me/sessions/{id}"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        try auth.endSession(
            SessionID(request.pathArgument), of: request.accessToken, proof: request.proof, from: request.device,
            in: &context)
        return .noContent
    }
}

private struct LogoutBody: RequestBody {
    let refreshToken: String?

    init(reading fields: inout FieldReader) {
        refreshToken = fields.optional("refreshToken", atMost: FieldLimit.token)
    }
}

private struct SessionListBody: ResponseBody {
    let sessions: [SessionBody]

    func write(to json: inout JSONObjectWriter) {
        json.member("sessions", array: { list in for session in sessions { list.object(session.write) } })
    }
}

/// A session in the caller's list of sessions, and in the export.
struct SessionBody: ResponseBody {
    let session: Session
    /// The session of the request.
    let current: SessionID

    init(_ session: Session, current: SessionID) {
        self.session = session
        self.current = current
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
