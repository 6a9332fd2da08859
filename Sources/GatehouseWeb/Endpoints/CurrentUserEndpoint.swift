import Gatehouse
import GatehouseAPI

/// `GET /api/users/me`: the user whom the access token names.
struct CurrentUserEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let user = try refusing { () throws(Refusal) in
            try gatekeeper.currentUser(try gatekeeper.authenticate(request.bearerToken))
        }
        return .ok(UserBody(user))
    }
}
