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

extension SessionBody {
    fileprivate init(_ session: Session, current: SessionID) {
        self.init(
            id: session.id.text, provider: session.provider.rawValue, device: session.device.userAgent,
            address: session.device.address, createdAt: session.createdAt.description,
            lastUsedAt: session.token.issuedAt.description, current: session.id == current)
    }
}
