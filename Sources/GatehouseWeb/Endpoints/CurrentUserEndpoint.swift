import Gatehouse
import GatehouseAPI

/// `GET /api/users/me`: the user whom the access token names.
struct CurrentUserEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let user = try refusing { () throws(Refusal) in
            let caller = try gatekeeper.authenticate(request.bearerToken)
            return try gatekeeper.currentUser(caller)
        }
        return .ok(UserBody(user))
    }
}
