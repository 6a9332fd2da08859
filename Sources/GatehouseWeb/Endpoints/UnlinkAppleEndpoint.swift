import Gatehouse
import GatehouseAPI

/// `DELETE /api/users/me/accounts/apple`: takes Apple away from the caller's ways of signing in.
struct UnlinkAppleEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me/accounts/apple"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        // An unauthenticated request gets 401 before its body is read.
        let caller = try refusing { () throws(Refusal) in try gatekeeper.authenticate(request.bearerToken) }
        let body = try request.readIfPresent(UnlinkAppleRequest.self)
        try refusingToken { () throws(Refusal) in
            try gatekeeper.unlinkApple(
                from: caller, on: request.device, credential: body?.proof.map(AppleCredential.init))
        }
        return .noContent
    }
}
