import Gatehouse

/// `DELETE /api/users/me/accounts/apple`: takes Apple away from the caller's ways of signing in.
struct UnlinkAppleEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me/accounts/apple"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        try refusing { () throws(Refusal) in
            try gatekeeper.unlinkApple(from: try gatekeeper.authenticate(request.bearerToken), on: request.device)
        }
        return .noContent
    }
}
