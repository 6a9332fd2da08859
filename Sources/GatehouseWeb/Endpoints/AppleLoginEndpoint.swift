import Gatehouse
import GatehouseAPI

/// `POST /api/auth/apple`: signs in by an identity token.
struct AppleLoginEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let login = AppleLogin(try request.read(AppleLoginRequest.self))
        let signedIn = try refusing { () throws(Refusal) in try gatekeeper.signIn(login, from: request.device) }
        return .ok(LoginBody(signedIn))
    }
}
