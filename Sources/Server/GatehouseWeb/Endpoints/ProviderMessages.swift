import Gatehouse
import JSON

/// What the servers of providers send.
extension Endpoints {
    /// Receives a notification from Apple's servers.
    func receiveAppleNotification(
        _ request: Request, _ body: AppleNotificationBody, in context: inout RequestContext
    ) throws -> Response {
        try auth.receive(notification: body.payload, requestID: request.id)
        // Apple reads only the status.
        return .ok(EmptyBody())
    }

    /// Receives a security event token (RFC 8935). Any content type is accepted: providers have sent several, and the token
    /// says of which kind it is.
    func receiveSecurityEvents(_ request: Request, in context: inout RequestContext) throws -> Response {
        let provider = try request.provider()
        let token = String(decoding: request.body, as: UTF8.self).trimmedOrNil ?? ""
        do throws(Refusal) {
            try auth.receive(securityEvents: token, from: provider, requestID: request.id)
        } catch {
            // The sender is no client that could sign in again: RFC 8935 has 400.
            guard case .identity(let fault, let provider) = error else { throw error }
            throw Problem.invalidSecurityEvents(fault, by: provider)
        }
        return Response(status: 202)
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
