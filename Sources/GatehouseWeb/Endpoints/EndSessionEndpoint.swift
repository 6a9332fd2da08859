import Gatehouse

/// `DELETE /api/users/me/sessions/{id}`: ends one of the caller's sessions.
struct EndSessionEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me/sessions/{id}"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        try refusing { () throws(Refusal) in
            try gatekeeper.endSession(
                SessionID(request.pathArgument), of: request.bearerToken, from: request.device)
        }
        return .noContent
    }
}
