import Gatehouse
import GatehouseAPI

/// `POST /api/auth/dev-login`: signs in by the development secret, where there is one.
struct DevLoginEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/dev-login"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        // A closed door does not read what is pushed through it.
        guard gatekeeper.devLoginIsOpen else { throw .refused(.devLoginDisabled) }
        let body = try request.read(DevLoginRequest.self)
        let login = DevLogin(email: body.email, secret: body.devSecret, nickname: body.nickname)
        let signedIn = try refusing { () throws(Refusal) in try gatekeeper.signIn(login, from: request.device) }
        return .ok(LoginBody(signedIn))
    }
}
