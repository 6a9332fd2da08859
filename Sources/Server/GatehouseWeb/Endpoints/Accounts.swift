package import Gatehouse
package import JSON

/// `GET /api/users/me/accounts`: lists the caller's ways to log in.
struct AccountsEndpoint: Endpoint {
    let method = Method.get
    let path = "/api/users/me/accounts"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticate(request.accessToken, proof: request.proof, in: &context)
        return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
    }
}

/// `POST /api/users/me/accounts/apple`: links an Apple account to the caller.
struct LinkAppleEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/users/me/accounts/apple"
    func isAuthorisedByAccessToken(_ request: Request) -> Bool { true }
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        let body = try request.read(AppleLoginBody.self)
        try auth.linkApple(body.login, to: caller, from: request.device, requestID: request.id)
        return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
    }
}

/// `DELETE /api/users/me/accounts/apple`: unlinks the caller's Apple account.
struct UnlinkAppleEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me/accounts/apple"
    func isAuthorisedByAccessToken(_ request: Request) -> Bool { true }
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        let body = try request.readIfPresent(UnlinkBody.self)
        try auth.unlinkApple(from: caller, on: request.device, credential: body?.proof, requestID: request.id)
        return .noContent
    }
}

private struct UnlinkBody: RequestBody {
    let proof: IdentityCredential?

    init(reading fields: inout FieldReader) {
        proof = IdentityCredential(proofIn: &fields)
    }
}

private struct AccountListBody: ResponseBody {
    let accounts: [LinkedAccount]

    func write(to json: inout JSONObjectWriter) {
        json.member("accounts", array: { list in for account in accounts { list.object(account.write) } })
    }
}

extension LinkedAccount: ResponseBody {
    package func write(to json: inout JSONObjectWriter) {
        json.member("provider", provider.rawValue)
        json.member("email", email)
        json.member("emailVerified", emailVerified)
        json.member("isPrivateEmail", isPrivateEmail)
        json.member("isMailForwarded", isMailForwarded)
        json.member("linkedAt", linkedAt.description)
    }
}
