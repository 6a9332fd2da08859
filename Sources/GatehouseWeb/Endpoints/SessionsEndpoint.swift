import Gatehouse
import GatehouseAPI

/// `GET /api/users/me/sessions`: where the caller is signed in.
struct SessionsEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me/sessions"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let (caller, sessions) = try refusing { () throws(Refusal) in
            let caller = try gatekeeper.authenticate(request.bearerToken)
            return (caller, try gatekeeper.sessions(of: caller))
        }
        return .ok(SessionListBody(sessions: sessions.map { SessionBody($0, current: caller.sessionID) }))
    }
}
