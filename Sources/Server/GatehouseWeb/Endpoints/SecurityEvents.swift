import Gatehouse

/// `POST /api/auth/{provider}/events`: receives security event tokens from a provider's servers (RFC 8935).
struct SecurityEventsEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/{provider}/events"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let provider = try request.provider()
        do throws(Refusal) {
            try auth.receive(securityEvents: try token(in: request), from: provider, requestID: request.id)
        } catch {
            // The sender is no client that could sign in again: RFC 8935 has 400.
            guard case .identity(let fault, let provider) = error else { throw error }
            throw Problem.invalidSecurityEvents(fault, by: provider)
        }
        return Response(status: 202)
    }

    /// Any content type is accepted: providers have sent several, and the token says of which kind it is.
    private func token(in request: Request) throws(Refusal) -> String {
        String(decoding: request.body, as: UTF8.self).trimmedOrNil ?? ""
    }
}
