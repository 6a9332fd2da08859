import Gatehouse

/// `GET /api/auth/verify`: says to nginx whether a request may pass, and who sent it. Not reachable from outside.
struct VerifyEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/auth/verify"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let caller = try refusing { () throws(Refusal) in try gatekeeper.authenticate(request.bearerToken) }
        return Response(
            status: 204,
            headers: [
                Response.Header("X-User-Id", caller.userID.text),
                Response.Header("X-User-Role", caller.role.rawValue),
                Response.Header("X-Session-Id", caller.sessionID.text),
            ])
    }
}
