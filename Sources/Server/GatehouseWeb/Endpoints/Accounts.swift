package import Gatehouse
package import JSON

extension Endpoints {
    /// Lists the caller's ways to log in.
    func accounts(_ request: Request, of caller: Caller, in context: inout RequestContext) throws -> Response {
        .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
    }

    /// Links an account to the caller.
    func linkAccount(
        _ request: Request, to caller: Caller, provenBy proof: LinkProof, in context: inout RequestContext
    ) throws -> Response {
        switch proof {
        case .address(let body, let channel): return try bind(channel, body, to: caller, by: request, in: &context)
        case .login(let login):
            try auth.link(login, to: caller, from: request.device, requestID: request.id)
            return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
        }
    }

    private func bind(
        _ channel: CodeChannel, _ body: AddressBindingBody, to caller: Caller, by request: Request,
        in context: inout RequestContext
    ) throws -> Response {
        if body.keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let cookie = body.keepsSessionInCookie ? request.cookie(.session) : nil
        switch try auth.bind(body.binding(channel, cookie: cookie), to: caller, from: request.device, in: &context) {
        case .bound: return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
        case .joined(let result): return .login(result, inCookie: body.keepsSessionInCookie)
        }
    }

    /// Unlinks the caller's account.
    func unlinkAccount(
        _ request: Request, of caller: Caller, provenBy body: RepeatedLogin?, in context: inout RequestContext
    ) throws -> Response {
        try auth.unlink(
            try request.provider(), from: caller, on: request.device, provenBy: body?.login, requestID: request.id)
        return .noContent
    }
}

extension Request {
    /// Whether the path asks for one-tap sign-in where others have a provider.
    var namesNumber: Bool { pathArgument == "number" }

    /// The provider in the path, in lower case there.
    func provider() throws(Refusal) -> Provider {
        guard !namesNumber, let provider = Provider(lowercaseName: pathArgument) else { throw .unknownProvider }
        return provider
    }
}

private struct LinkBody: RequestBody {
    let credential: IdentityCredential

    init(reading fields: inout FieldReader) {
        credential = IdentityCredential(reading: &fields)
    }
}

/// What a link is proven by: the body that the provider in the path has.
enum LinkProof {
    case login(IdentityLogin)
    /// A phone number or a mail address is proven by a code, a phone number also by a token of one-tap sign-in.
    case address(AddressBindingBody, CodeChannel)
}

extension Body<LinkProof> {
    static let link = Self([.json]) { request in
        if let channel = CodeChannel(rawValue: request.pathArgument) {
            return .address(try request.read(CodeBindingBody.self).binding, channel)
        }
        if request.namesNumber { return .address(try request.read(NumberBindingBody.self).binding, .phone) }
        let provider = try request.provider()
        // The body is that of a login by the provider.
        if provider == .apple { return .login(try request.read(AppleLoginBody.self).login) }
        return .login(IdentityLogin(provider: provider, credential: try request.read(LinkBody.self).credential))
    }
}

private struct AccountListBody: ResponseBody {
    let accounts: [LinkedAccount]

    func write(to json: inout JSONObjectWriter) {
        json.member(
            "accounts",
            array: { list in
                for account in accounts {
                    list.object { json in
                        account.write(to: &json)
                        guard let contact = accounts.unprovenContact(of: account) else { return }
                        json.member("unprovenContact", contact)
                    }
                }
            })
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
