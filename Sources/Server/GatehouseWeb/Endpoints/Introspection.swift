import Gatehouse
import JSON

/// `POST /introspect`: tells a service whether an access token is valid at this moment (RFC 7662). Not reachable from outside.
struct IntrospectionEndpoint: Endpoint {
    let method = Method.post
    let path = "/introspect"
    let isRoutine = true
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        try auth.authenticateService(of: request, in: &context)
        // `token_type_hint` says nothing that the token itself does not say.
        let token = try request.form().required("token", atMost: FieldLimit.token)
        guard let claims = try auth.introspect(token, in: &context) else { return .ok(InactiveBody()) }
        return .ok(ActiveBody(claims: claims, issuer: auth.tokenIssuer, audience: auth.tokenAudience))
    }
}

/// No more than this, whatever the reason is (RFC 7662, section 2.2).
private struct InactiveBody: ResponseBody {
    func write(to json: inout JSONObjectWriter) { json.member("active", false) }
}

/// The claims under their names in the token, and what RFC 7662 adds.
private struct ActiveBody: ResponseBody {
    let claims: AccessClaims
    let issuer: String
    let audience: String

    func write(to json: inout JSONObjectWriter) {
        let caller = claims.caller
        json.member("active", true)
        json.member("iss", issuer)
        json.member("aud", audience)
        json.member("sub", caller.userID.text)
        json.member("client_id", claims.clientID)
        json.member("sid", caller.sessionID.text)
        // A token without one of these two has 0.
        if caller.generation > 0 { json.member("gen", caller.generation) }
        json.member("role", caller.role.rawValue)
        if caller.authenticatedAt.seconds > 0 { json.member("auth_time", caller.authenticatedAt.seconds) }
        json.member("iat", claims.issuedAt.seconds)
        json.member("exp", claims.expiresAt.seconds)
        json.member("jti", claims.tokenID)
        json.member("token_type", caller.keyThumbprint == nil ? "Bearer" : "DPoP")
        if let key = caller.keyThumbprint { json.member("cnf", object: { $0.member("jkt", key) }) }
    }
}
