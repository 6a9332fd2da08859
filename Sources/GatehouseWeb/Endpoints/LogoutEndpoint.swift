import Gatehouse
import GatehouseAPI

/// `POST /api/auth/logout`: ends the caller's session.
struct LogoutEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/logout"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        // Whoever is nobody learns nothing about their body.
        guard request.bearerToken != nil else { throw .refused(.noCredentials) }
        let body = try request.readIfPresent(LogoutRequest.self)
        try refusing { () throws(Refusal) in
            try gatekeeper.signOut(request.bearerToken, refreshToken: body?.refreshToken, from: request.device)
        }
        return .noContent
    }
}
