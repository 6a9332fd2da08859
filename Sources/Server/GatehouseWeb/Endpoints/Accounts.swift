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
        let onTaken = try proof.onTaken.rule(for: request, by: auth)
        let result =
            switch proof {
            case .address(let body, let channel):
                try auth.bind(
                    body.binding(channel, onTaken: onTaken), to: caller, from: request.device, in: &context)
            case .login(let login, _):
                try auth.link(login, onTaken: onTaken, to: caller, from: request.device, in: &context)
            }
        switch result {
        case .bound: return .ok(AccountListBody(accounts: try auth.accounts(of: caller)))
        case .joined(let result): return .login(result, inCookie: proof.onTaken.keepsSessionInCookie)
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
    let onTaken: OnTakenBody

    init(reading fields: inout FieldReader) {
        credential = IdentityCredential(reading: &fields)
        onTaken = OnTakenBody(reading: &fields)
    }
}

private struct AppleLinkBody: RequestBody {
    let login: AppleLoginBody
    let onTaken: OnTakenBody

    init(reading fields: inout FieldReader) {
        login = AppleLoginBody(reading: &fields)
        onTaken = OnTakenBody(reading: &fields)
    }
}

/// What a link is proven by: the body that the provider in the path has.
enum LinkProof {
    case login(IdentityLogin, OnTakenBody)
    /// A phone number or a mail address is proven by a code, a phone number also by a token of one-tap sign-in.
    case address(AddressBindingBody, CodeChannel)

    fileprivate var onTaken: OnTakenBody {
        switch self {
        case .login(_, let onTaken): onTaken
        case .address(let body, _): body.onTaken
        }
    }
}

extension Body<LinkProof> {
    static let link = Self([.json]) { request in
        if let channel = CodeChannel(rawValue: request.pathArgument) {
            return .address(try request.read(CodeBindingBody.self).binding, channel)
        }
        if request.namesNumber { return .address(try request.read(NumberBindingBody.self).binding, .phone) }
        let provider = try request.provider()
        // The body is that of a login by the provider.
        if provider == .apple {
            let body = try request.read(AppleLinkBody.self)
            return .login(body.login.login, body.onTaken)
        }
        let body = try request.read(LinkBody.self)
        return .login(IdentityLogin(provider: provider, credential: body.credential), body.onTaken)
    }
}

private struct AccountListBody: ResponseBody {
    let accounts: [LinkedAccount]

    func write(to json: inout JSONObjectWriter) {
        json.member("accounts", objects: accounts) { account, json in
            account.write(to: &json)
            guard let contact = accounts.unprovenContact(of: account) else { return }
            json.member("unprovenContact", contact)
        }
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
