import Gatehouse

/// Who may call an endpoint. Each route states it, and `Route` checks it before the body is read, so that the answer to others
/// reveals nothing about the body.
package enum Access: Sendable, Equatable {
    /// Everybody. What proves a login is in the body.
    case open
    /// Everybody, if the settings allow the development login.
    case developer
    /// A service, by its token or as a user of this machine.
    case service
    /// The client that has a token of the session that the request ends. The use case reads the token, because the session may
    /// have ended already: a client that has missed the first answer sends the request again.
    case ending(Token)
    /// The user of an access token, whom the endpoint is handed.
    case caller(CallerAccess)
    /// A user with the role ADMIN or SUPER_ADMIN by the database, who has signed in within the hour, and whom the endpoint is
    /// handed. To all others the path does not exist.
    case administrator

    package enum Token: Sendable, Equatable {
        case access
        case accessOrRefresh
    }

    func check(_ request: Request, by auth: AuthService, in context: inout RequestContext) throws(Refusal) {
        switch self {
        case .open, .ending: return
        case .developer: guard auth.allowsDevLogin else { throw .devLoginDisabled }
        case .service: try auth.authenticateService(request.accessToken, peer: request.peer, in: &context)
        case .caller(let access): _ = try access.caller(of: request, by: auth, in: &context)
        case .administrator: _ = try Self.administrator(of: request, by: auth, in: &context)
        }
    }

    /// Only an access token counts, and no cookie, so no page can send a request in an administrator's name without having the
    /// token. A page of another origin is refused all the same: `CORS_ORIGINS` lets it sign in with the session's cookie.
    static func administrator(
        of request: Request, by auth: AuthService, in context: inout RequestContext
    ) throws(Refusal) -> Administrator {
        guard ["same-origin", "none"].contains(request.text(of: .fetchSite) ?? "none") else { throw .hidden }
        return try auth.authenticateAdministrator(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
    }

    /// Whether an access token authorises the request. Then another invalid token in the body is 422 instead of 401, because a
    /// client that refreshes on 401 would repeat the request for ever.
    func isAuthorisedByAccessToken(_ request: Request) -> Bool {
        switch self {
        case .open, .developer, .service: false
        case .ending, .caller, .administrator: request.accessToken != nil
        }
    }
}

/// What the caller of an endpoint has to prove.
package enum CallerAccess: Sendable, Equatable {
    /// An access token whose session has not ended.
    case authenticated(Phone = .required)
    /// The same for a request that changes the account or reads all that is known about it: a bound session proves its key.
    case change(Phone = .required)
    /// A change that ends the session in the path: the caller's own may have ended before.
    case endingSession
    /// A change that demands a recent login as well. The use case checks that, because the body can prove the login again.
    case recentChange(Phone = .required)
    /// The same as `authenticated`, with the role and the login that nginx's configuration demands.
    case guarded

    /// Whether the caller needs the phone number that the settings may require.
    package enum Phone: Sendable, Equatable {
        case required
        case notRequired
        case notRequiredToBindOne

        fileprivate func admitsWithout(_ request: Request) -> Bool {
            switch self {
            case .required: false
            case .notRequired: true
            case .notRequiredToBindOne: request.pathArgument == CodeChannel.phone.rawValue || request.namesNumber
            }
        }
    }

    func caller(
        of request: Request, by auth: AuthService, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        switch self {
        case .authenticated(let phone):
            return try auth.authenticate(
                request.accessToken, proof: request.proof, admitsWithoutPhone: phone.admitsWithout(request),
                in: &context)
        case .change(let phone), .recentChange(let phone):
            return try auth.authenticateChange(
                request.accessToken, proof: request.proof, admitsWithoutPhone: phone.admitsWithout(request),
                from: request.device, in: &context)
        case .endingSession:
            return try auth.authenticateChange(
                request.accessToken, proof: request.proof, ending: SessionID(request.pathArgument),
                from: request.device, in: &context)
        case .guarded:
            try auth.requireAttributeHeaders(request.bytes(of: .attributeNames))
            return try auth.authenticate(
                request.accessToken, proof: request.proof, atLeast: request.text(of: .demandedRole),
                since: request.text(of: .demandedLogin), admitsGuests: request.text(of: .admittedGuests) == "on",
                in: &context)
        }
    }
}
