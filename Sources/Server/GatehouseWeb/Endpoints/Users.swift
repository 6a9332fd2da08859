package import Gatehouse
package import JSON

/// `GET /api/users/me`: returns the caller's user.
struct CurrentUserEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticate(
            request.accessToken, proof: request.proof, admitsWithoutPhone: true, in: &context)
        return .ok(try auth.currentUser(caller))
    }
}

/// `PATCH /api/users/me`: changes the caller's profile.
struct UpdateUserEndpoint: Endpoint {
    let method = Method.patch
    let path = "/api/users/me"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        // An unauthenticated request gets 401 before its body is validated, so the answer reveals nothing about it.
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        let body = try request.read(ProfileBody.self)
        return .ok(try auth.update(body.change, of: caller))
    }
}

/// `DELETE /api/users/me`: deletes the caller's account.
struct DeleteUserEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me"
    func isAuthorisedByAccessToken(_ request: Request) -> Bool { true }
    let auth: AuthService

    /// Where users withdraw an app's access themselves.
    private static let manageAccount: FieldValue = "<https://account.apple.com/account/manage>; rel=\"help\""

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, admitsWithoutPhone: true, from: request.device, in: &context)
        let body = try request.readIfPresent(DeletionBody.self)
        let revocation = try auth.deleteAccount(
            of: caller, authorizationCode: body?.authorizationCode, provenBy: body?.proof, requestID: request.id)
        return try Response(status: 204, headers: headers(for: revocation))
            .endingSession(of: request, by: auth, in: context)
    }

    /// The answer has no body, so headers say what the user may have to do at Apple.
    private func headers(for revocation: AppleRevocation) -> [Response.Header] {
        switch revocation {
        case .notNeeded: []
        case .queued: [Response.Header("X-Apple-Revocation", "queued")]
        case .byHand:
            [Response.Header("X-Apple-Revocation", "by-hand"), Response.Header("Link", Self.manageAccount)]
        }
    }
}

/// A missing member changes nothing, and `null` removes the value. At least one member is required.
private struct ProfileBody: RequestBody {
    let change: ProfileChange

    init(reading fields: inout FieldReader) {
        change = ProfileChange(
            nickname: fields.change("nickname") { $0.optionalName("nickname") },
            avatarURL: fields.change("avatarUrl") { $0.optionalURL("avatarUrl") },
            onboardingCompleted: fields.changeFlag("onboardingCompleted"))
        // Unknown members are ignored, so a client with a misspelt one would believe that it was stored.
        guard !["nickname", "avatarUrl", "onboardingCompleted"].contains(where: fields.has) else { return }
        fields.reject("nickname", "is required, or avatarUrl or onboardingCompleted: nothing else can be changed")
    }
}

private struct DeletionBody: RequestBody {
    let authorizationCode: String?
    let proof: IdentityLogin?

    init(reading fields: inout FieldReader) {
        authorizationCode = fields.optional("authorizationCode", atMost: FieldLimit.authorizationCode)
        proof = RepeatedLogin(reading: &fields).login
    }
}

extension User: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("id", id.text)
        json.member("email", email)
        json.member("emailVerified", emailVerified)
        json.member("phone", phone)
        json.member("nickname", nickname)
        json.member("avatarUrl", avatarURL)
        json.member("role", role.rawValue)
        json.member("status", status.rawValue)
        json.member("onboardingCompleted", onboardingCompleted)
    }
}
