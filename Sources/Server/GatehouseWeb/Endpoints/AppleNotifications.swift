import Gatehouse
import JSON

/// `POST /api/auth/apple/notifications`: receives notifications from Apple's servers.
struct AppleNotificationEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple/notifications"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let body = try request.read(AppleNotificationBody.self)
        try auth.receive(notification: body.payload, requestID: request.id)
        // Apple reads only the status.
        return .ok(EmptyBody())
    }
}

package struct AppleNotificationBody: RequestBody {
    /// A JWS.
    package let payload: String

    package init(reading fields: inout FieldReader) {
        payload = fields.required("payload", atMost: FieldLimit.token)
    }
}

struct EmptyBody: ResponseBody {
    func write(to json: inout JSONObjectWriter) {}
}
