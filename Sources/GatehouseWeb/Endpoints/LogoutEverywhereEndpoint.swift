import Gatehouse

/// `POST /api/auth/logout-all`: ends every session of the caller's.
struct LogoutEverywhereEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/logout-all"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        try refusing { () throws(Refusal) in
            try gatekeeper.signOutEverywhere(request.bearerToken, from: request.device)
        }
        return .noContent
    }
}
