import Gatehouse
import GatehouseAPI

/// `POST /api/auth/apple/notifications`: what Apple's servers tell.
struct AppleNotificationEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple/notifications"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let body = try request.read(AppleNotificationRequest.self)
        try refusing { () throws(Refusal) in try gatekeeper.receive(notification: body.payload) }
        // Apple reads nothing but the status.
        return .ok(EmptyBody())
    }
}
