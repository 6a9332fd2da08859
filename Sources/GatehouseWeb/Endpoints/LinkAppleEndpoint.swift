import Gatehouse
import GatehouseAPI

/// `POST /api/users/me/accounts/apple`: gives the caller Apple as another way of signing in.
struct LinkAppleEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/users/me/accounts/apple"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let caller = try refusing { () throws(Refusal) in try gatekeeper.authenticate(request.bearerToken) }
        let login = AppleLogin(try request.read(AppleLoginRequest.self))
        let accounts = try refusingToken { () throws(Refusal) in
            try gatekeeper.linkApple(login, to: caller, from: request.device)
            return try gatekeeper.accounts(of: caller)
        }
        return .ok(AccountListBody(accounts: accounts.map(AccountBody.init)))
    }
}
