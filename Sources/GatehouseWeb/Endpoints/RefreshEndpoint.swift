import Gatehouse
import GatehouseAPI

/// `POST /api/auth/refresh`: exchanges a refresh token for its successor.
struct RefreshEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/refresh"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let body = try request.read(RefreshRequest.self)
        let tokens = try refusing { () throws(Refusal) in
            try gatekeeper.refresh(body.refreshToken, from: request.device)
        }
        return .ok(TokenPairBody(tokens))
    }
}
