package import Gatehouse
package import JSON

/// `GET /users/{id}`: returns a user to a service. Not reachable from outside.
struct UserForServicesEndpoint: Endpoint {
    let method = Method.get
    let path = "/users/{id}"
    let isRoutine = true
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        try auth.authenticateService(of: request, in: &context)
        guard let user = try auth.users([UserID(request.pathArgument)]).first else { throw Problem.unknownUser }
        return .ok(user)
    }
}

/// `GET /users?id=…&id=…`: returns several users, in the order in which the service asks for them.
struct UsersForServicesEndpoint: Endpoint {
    let method = Method.get
    let path = "/users"
    let isRoutine = true
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        try auth.authenticateService(of: request, in: &context)
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
}

extension AuthService {
    /// Refuses a request that is not of a service.
    func authenticateService(of request: Request, in context: inout RequestContext) throws(Refusal) {
        try authenticateService(request.accessToken, peer: request.peer, in: &context)
    }
}

private struct UserListBody: ResponseBody {
    let users: [UserSummary]

    func write(to json: inout JSONObjectWriter) {
        json.member("users", array: { list in for user in users { list.object(user.write) } })
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
        json.member("lastLoginAt", lastLoginAt?.description)
        json.member("createdAt", utf8: user.createdAt.text.span)
        json.member("updatedAt", utf8: updatedAt.text.span)
    }
}
