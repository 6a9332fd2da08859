import Gatehouse

/// `GET /api/auth/verify`: says to nginx whether a request may pass, and who sent it. Not reachable from outside.
struct VerifyEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/auth/verify"
    /// nginx turns any answer but 204, 401 and 403 (a store that fails: 503) into 500, and a front may pass on the guarded request's own method.
    let answersAnyRequest = true
    let isRoutine = true
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let caller = try refusing { () throws(Refusal) in
            try gatekeeper.authenticate(request.bearerToken, atLeast: request.text(of: .demandedRole))
        }
        return try admission(of: caller)
    }

    /// A token whose ids cannot stand in a header is refused: an upstream that was told no user, or another one, would be
    /// worse.
    private func admission(of caller: Caller) throws(Problem) -> Response {
        guard let user = Response.Header("X-User-Id", checking: caller.userID.text),
            let session = Response.Header("X-Session-Id", checking: caller.sessionID.text)
        else { throw .refused(.invalidAccessToken) }
        return Response(status: 204, headers: [user, Response.Header("X-User-Role", caller.role.fieldValue), session])
    }

    /// A refusal has no body: nginx reads only the headers of a subrequest, and would write a body to a temporary file.
    /// Code and detail are headers, and nginx puts them into the document that the client gets.
    func response(to problem: Problem, of request: Request) -> Response {
        let entry = problem.entry
        let role = request.text(of: .demandedRole).flatMap(Role.init(rawValue:))
        let words = [
            Response.Header("X-Problem-Code", checking: entry.code),
            Response.Header("X-Problem-Detail", checking: entry.detail),
        ]
        let due = problem.headers(hasCredentials: request.bearerToken != nil, scope: role?.rawValue)
        return Response(status: entry.status, headers: due + words.compactMap(\.self))
    }
}

extension Role {
    fileprivate var fieldValue: FieldValue {
        switch self {
        case .user: "USER"
        case .admin: "ADMIN"
        case .superAdmin: "SUPER_ADMIN"
        }
    }
}
