package import Gatehouse
package import JSON

/// For services. Not reachable from outside.
extension Endpoints {
    /// Returns a user.
    func user(_ request: Request, in context: inout RequestContext) throws -> Response {
        guard let user = try auth.users([UserID(request.pathArgument)]).first else { throw Problem.unknownUser }
        return .ok(user)
    }

    /// Returns several users, in the order in which the service asks for them.
    func users(_ request: Request, in context: inout RequestContext) throws -> Response {
        let ids = try request.query(atMost: AuthService.mostUsers + Form.mostPairs).values(of: "id")
        guard (1...AuthService.mostUsers).contains(ids.count) else {
            throw Problem.invalidRequest([
                FieldError(
                    field: "id",
                    message: ids.isEmpty ? "is required" : "may be sent at most \(AuthService.mostUsers) times")
            ])
        }
        // No id contains a NUL, and PostgreSQL cannot store one.
        let possible = ids.filter { !$0.utf8.contains(0) }
        return .ok(UserListBody(users: try auth.users(possible.map { UserID($0) })))
    }

    /// Replaces the attributes of a user.
    func setAttributes(
        _ request: Request, to body: AttributesBody, in context: inout RequestContext
    ) throws -> Response {
        let versions = try request.permittedVersions()
        let user = try auth.setAttributes(
            of: UserID(request.pathArgument), to: body.attributes, expecting: versions, in: context)
        var response = Response.ok(user)
        if let tag = Response.Header("ETag", checking: "\"\(user.attributesVersion)\"") { response.headers.append(tag) }
        return response
    }

    /// Tells whether an access token is valid at this moment (RFC 7662). `token_type_hint` says nothing that the token itself
    /// does not say.
    func introspect(_ request: Request, _ form: Form, in context: inout RequestContext) throws -> Response {
        let token = try form.required("token", atMost: FieldLimit.token)
        let claims = try auth.introspect(token, admitsGuests: form.values(of: "guests") == ["on"], in: &context)
        guard let claims else { return .ok(InactiveBody()) }
        return .ok(ActiveBody(claims: claims, issuer: auth.tokenIssuer, audience: auth.tokenAudience))
    }
}

/// The members of the body are the attributes.
struct AttributesBody: RequestBody {
    let attributes: Attributes

    init(reading fields: inout FieldReader) {
        attributes = Attributes(canonical: fields.allMembers.sorted.description)
    }
}

private struct UserListBody: ResponseBody {
    let users: [UserSummary]

    func write(to json: inout JSONObjectWriter) {
        json.member("users", objects: users) { $0.write(to: &$1) }
    }
}

/// A user as services see it, here and in events.
extension UserSummary: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("id", user.id.text)
        json.member("email", user.email)
        json.member("emailVerified", user.emailVerified)
        json.member("phone", user.phone)
        json.member("phoneVerified", user.phone != nil)
        json.member("nickname", user.nickname)
        json.member("avatarUrl", user.avatarURL)
        json.member("role", user.role.rawValue)
        json.member("status", user.status.rawValue)
        json.member("guest", user.isGuest)
        json.member("attributes", json: user.attributes.json)
        json.member("attributesVersion", attributesVersion)
        json.member("lastLoginAt", lastLoginAt?.description)
        json.member("createdAt", utf8: user.createdAt.text.span)
        json.member("updatedAt", utf8: updatedAt.text.span)
    }
}

// MARK: - Introspection

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
        json.member("acr", caller.strength.rawValue)
        if let method = claims.method {
            json.member("amr", .array(method.references.map(JSONValue.string)))
        }
        if !caller.attributes.isEmpty { json.member("attributes", json: caller.attributes.json) }
        json.member("iat", claims.issuedAt.seconds)
        json.member("exp", claims.expiresAt.seconds)
        json.member("jti", claims.tokenID)
        json.member("token_type", caller.keyThumbprint == nil ? "Bearer" : "DPoP")
        if let key = caller.keyThumbprint { json.member("cnf", object: { $0.member("jkt", key) }) }
        if caller.isGuest { json.member("guest", true) }
    }
}
