import Gatehouse
import GatehouseAPI

/// `GET /api/users/me/accounts`: the caller's ways of signing in.
struct AccountsEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me/accounts"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let accounts = try refusing { () throws(Refusal) in
            try gatekeeper.accounts(of: try gatekeeper.authenticate(request.bearerToken))
        }
        return .ok(AccountListBody(accounts: accounts.map(AccountBody.init)))
    }
}
