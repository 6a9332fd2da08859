import Gatehouse
import GatehouseAPI

/// `PATCH /api/users/me`: changes what users may change about themselves.
struct UpdateUserEndpoint: Endpoint {
    let method = Method.patch
    let path = "/api/users/me"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        // Whoever is nobody learns nothing about their body.
        let caller = try refusing { () throws(Refusal) in try gatekeeper.authenticate(request.bearerToken) }
        let body = try request.read(UpdateUserRequest.self)
        let change = ProfileChange(
            nickname: body.nickname, avatarURL: body.avatarUrl, onboardingCompleted: body.onboardingCompleted)
        let user = try refusing { () throws(Refusal) in try gatekeeper.update(change, of: caller) }
        return .ok(UserBody(user))
    }
}
