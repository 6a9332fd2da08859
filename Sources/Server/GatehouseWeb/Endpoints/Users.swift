package import Gatehouse
package import JSON

extension Endpoints {
    /// Returns the caller's user.
    func currentUser(_ request: Request, _ caller: Caller, in context: inout RequestContext) throws -> Response {
        .ok(OwnUser(try auth.currentUser(caller), auth))
    }

    /// Changes the caller's profile.
    func updateUser(
        _ request: Request, _ caller: Caller, by body: ProfileBody, in context: inout RequestContext
    ) throws -> Response {
        .ok(OwnUser(try auth.update(body.change, of: caller), auth))
    }

    /// Deletes the caller's account.
    func deleteUser(
        _ request: Request, _ caller: Caller, by body: DeletionBody?, in context: inout RequestContext
    ) throws -> Response {
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

    /// Where users withdraw an app's access themselves.
    private static let manageAccount: FieldValue = "<https://account.apple.com/account/manage>; rel=\"help\""

    /// Returns all data about the caller.
    func export(_ request: Request, of caller: Caller, in context: inout RequestContext) throws -> Response {
        let export = try auth.export(of: caller)
        var response = Response.ok(ExportBody(export: export, current: caller.sessionID))
        response.headers.append(Response.Header("Content-Disposition", "attachment; filename=\"account.json\""))
        return response
    }
}

/// A missing member changes nothing, and `null` removes the value. At least one member is required.
struct ProfileBody: RequestBody {
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

struct DeletionBody: RequestBody {
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
        json.member("guest", isGuest)
    }
}

/// A user as they see themself.
struct OwnUser: ResponseBody {
    let user: User
    /// Those that the settings list; nil if they list none, and then the member does not exist.
    let attributes: Attributes?

    init(_ user: User, _ attributes: Attributes?) {
        (self.user, self.attributes) = (user, attributes)
    }

    init(_ user: User, _ auth: AuthService) {
        self.init(user, auth.listedAttributes(of: user))
    }

    func write(to json: inout JSONObjectWriter) {
        user.write(to: &json)
        if let attributes { json.member("attributes", json: attributes.json) }
    }
}

// MARK: - Export

private struct ExportBody: ResponseBody {
    let export: UserExport
    let current: SessionID

    func write(to json: inout JSONObjectWriter) {
        json.member("exportedAt", export.moment.description)
        json.member("createdAt", export.user.createdAt.description)
        json.member("user", object: export.user.write)
        json.member("attributes", json: export.user.attributes.json)
        json.member("accounts", objects: export.accounts) { ExportedAccountBody(account: $0).write(to: &$1) }
        json.member("passkeys", objects: export.passkeys) { ExportedPasskeyBody(passkey: $0).write(to: &$1) }
        json.member("sessions", objects: export.sessions) { SessionBody($0, current: current).write(to: &$1) }
        json.member("events", objects: export.events) { $0.write(to: &$1) }
    }
}

/// All that is kept about an account.
private struct ExportedAccountBody: ResponseBody {
    let account: LinkedAccount

    func write(to json: inout JSONObjectWriter) {
        account.write(to: &json)
        json.member("userIdentifier", account.subject)
        json.member("emailHint", account.emailHint)
        json.member("realUserStatus", account.realUserStatus.map(JSONValue.integer) ?? .null)
        json.member("realUserStatusHint", account.realUserStatusHint.map(JSONValue.integer) ?? .null)
        json.member("transferUserIdentifier", account.transferSubject)
        json.member("formerUserIdentifier", account.formerSubject)
        json.member("unionUserIdentifier", account.unionSubject)
    }
}

extension AuditEntry: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("time", moment.description)
        json.member("kind", kind.rawValue)
        json.member("actor", actor.rawValue)
        json.member("sessionId", sessionID?.text)
        json.member("provider", provider?.rawValue)
        json.member("device", device.userAgent)
        json.member("address", device.address)
        json.member("detail", detail)
    }
}
