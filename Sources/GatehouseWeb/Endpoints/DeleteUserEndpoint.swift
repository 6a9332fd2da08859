import Gatehouse

/// `DELETE /api/users/me`: ends the caller's account.
struct DeleteUserEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        try refusing { () throws(Refusal) in
            try gatekeeper.deleteAccount(of: try gatekeeper.authenticate(request.bearerToken))
        }
        return .noContent
    }
}
