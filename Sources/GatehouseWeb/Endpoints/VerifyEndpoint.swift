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
        return admission(of: caller)
    }

    private func admission(of caller: Caller) -> Response {
        Response(
            status: 204,
            headers: [
                Response.Header("X-User-Id", caller.userID.text),
                Response.Header("X-User-Role", caller.role.rawValue),
                Response.Header("X-Session-Id", caller.sessionID.text),
            ])
    }

    /// nginx reads only the headers of a subrequest: code and detail go there as well, and nginx puts them into the
    /// document that the client gets.
    func response(to problem: Problem, requestID: String) -> Response {
        var response = problem.response(requestID: requestID)
        response.headers.append(Response.Header("X-Problem-Code", problem.entry.code))
        response.headers.append(Response.Header("X-Problem-Detail", problem.entry.detail))
        return response
    }
}
