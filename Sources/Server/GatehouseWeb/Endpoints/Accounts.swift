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

/// `POST /api/users/me/accounts/{provider}`: links an account to the caller.
struct LinkAccountEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/users/me/accounts/{provider}"
    func isAuthorisedByAccessToken(_ request: Request) -> Bool { true }
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let channel = CodeChannel(rawValue: request.pathArgument)
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, admitsWithoutPhone: channel == .phone, from: request.device,
            in: &context)
        if let channel { return try bind(channel, to: caller, by: request, in: &context) }
        try auth.link(try login(in: request), to: caller, from: request.device, requestID: request.id)
        return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
    }

    /// A phone number or a mail address is proven by a code.
    private func bind(
        _ channel: CodeChannel, to caller: Caller, by request: Request, in context: inout RequestContext
    ) throws -> Response {
        let body = try request.read(AddressBindingBody.self)
        if body.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let cookie = body.keepsSessionInCookie ? request.cookie(.session) : nil
        switch try auth.bind(body.binding(channel, cookie: cookie), to: caller, from: request.device, in: &context) {
        case .bound: return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
        case .joined(let result): return .login(result, inCookie: body.keepsSessionInCookie)
        }
    }

    /// The body is that of a login by the provider.
    private func login(in request: Request) throws -> IdentityLogin {
        let provider = try request.provider()
        if provider == .apple { return try request.read(AppleLoginBody.self).login }
        return IdentityLogin(provider: provider, credential: try request.read(LinkBody.self).credential)
    }
}

/// `DELETE /api/users/me/accounts/{provider}`: unlinks the caller's account.
struct UnlinkAccountEndpoint: Endpoint {
    let method = Method.delete
    let path = "/api/users/me/accounts/{provider}"
    func isAuthorisedByAccessToken(_ request: Request) -> Bool { true }
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let caller = try auth.authenticateChange(
            request.accessToken, proof: request.proof, from: request.device, in: &context)
        let body = try request.readIfPresent(RepeatedLogin.self)
        try auth.unlink(
            try request.provider(), from: caller, on: request.device, provenBy: body?.login, requestID: request.id)
        return .noContent
    }
}

extension Request {
    /// The provider in the path, in lower case there.
    func provider() throws(Refusal) -> Provider {
        guard let provider = Provider(lowercaseName: pathArgument) else { throw .unknownProvider }
        return provider
    }
}

private struct LinkBody: RequestBody {
    let credential: IdentityCredential

    init(reading fields: inout FieldReader) {
        credential = IdentityCredential(reading: &fields)
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
