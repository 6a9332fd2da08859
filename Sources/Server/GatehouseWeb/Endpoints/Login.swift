package import Gatehouse
package import JSON

extension Endpoints {
    /// Logs in by Apple's identity token.
    func logInWithApple(
        _ request: Request, _ body: AppleLoginBody, in context: inout RequestContext
    ) throws -> Response {
        .ok(LoginBody(try auth.logIn(body.login, boundBy: request.proof, from: request.device, in: &context)))
    }

    /// Logs in by a provider that the operator has configured.
    func logIn(_ request: Request, _ body: IdentityLoginBody, in context: inout RequestContext) throws -> Response {
        .ok(LoginBody(try auth.logIn(body.login(), boundBy: request.proof, from: request.device, in: &context)))
    }

    /// Returns a nonce for one login by an identity token.
    func challenge(_ request: Request, in context: inout RequestContext) throws -> Response {
        let challenge = auth.challenge()
        return .ok(ChallengeBody(nonce: challenge.nonce, expiresIn: challenge.expiresIn))
    }

    /// Makes a guest, or opens another session of the guest who has the key of the proof.
    func logInAsGuest(_ request: Request, _ body: GuestBody?, in context: inout RequestContext) throws -> Response {
        let keepsSessionInCookie = body?.keepsSessionInCookie ?? false
        if keepsSessionInCookie { try request.requirePageOfThisSite(by: auth.web) }
        let result = try auth.logInAsGuest(
            nickname: body?.nickname, boundBy: request.proof, from: request.device, in: &context)
        return .login(result, inCookie: keepsSessionInCookie)
    }

    /// Logs in by the development secret.
    func logInByDevSecret(
        _ request: Request, _ body: DevLoginBody, in context: inout RequestContext
    ) throws -> Response {
        .ok(LoginBody(try auth.logIn(body.login, boundBy: request.proof, from: request.device, in: &context)))
    }
}

// MARK: - Request bodies

/// The body of a login by a configured provider. Which members have to be there depends on the provider.
package struct IdentityLoginBody: RequestBody {
    /// Nil for a text that no provider is called.
    private let provider: Provider?
    private let credential: IdentityCredential
    private let nickname: String?

    package init(reading fields: inout FieldReader) {
        provider = Provider(anyCase: fields.required("provider", atMost: FieldLimit.identifier))
        credential = IdentityCredential(reading: &fields)
        nickname = fields.optionalName("nickname")
    }

    package func login() throws(Refusal) -> IdentityLogin {
        guard let provider else { throw .unknownProvider }
        return IdentityLogin(provider: provider, credential: credential, nickname: nickname)
    }
}

/// The body of a login with Apple, and of linking an Apple account.
package struct AppleLoginBody: RequestBody {
    package let login: IdentityLogin

    package init(reading fields: inout FieldReader) {
        let identityToken = fields.required("identityToken", atMost: FieldLimit.token)
        let authorizationCode = fields.optional("authorizationCode", atMost: FieldLimit.authorizationCode)
        let userIdentifier = fields.optional("userIdentifier", atMost: FieldLimit.identifier)
        let email = fields.optional("email", atMost: FieldLimit.email)
        let name = fields.optionalObject("fullName") { inner in
            PersonName(given: inner.truncatedName("givenName"), family: inner.truncatedName("familyName"))
        }
        let nickname = fields.optionalName("nickname")
        let nonce = fields.optional("nonce", atMost: FieldLimit.nonce)
        let realUserStatus = fields.optionalInteger("realUserStatus", in: 0...2).map { Int($0) }
        let credential = IdentityCredential(
            identityToken: identityToken, code: authorizationCode, userIdentifier: userIdentifier,
            nonce: nonce)
        login = IdentityLogin(
            credential: credential, email: email, name: name, nickname: nickname, realUserStatus: realUserStatus)
    }
}

struct GuestBody: RequestBody {
    let nickname: String?
    let keepsSessionInCookie: Bool

    init(reading fields: inout FieldReader) {
        nickname = fields.optionalName("nickname")
        keepsSessionInCookie = fields.sessionPlace() == .cookie
    }
}

struct DevLoginBody: RequestBody {
    let login: DevLogin

    init(reading fields: inout FieldReader) {
        login = DevLogin(
            email: fields.requiredEmail("email"), secret: fields.required("devSecret", atMost: FieldLimit.secret),
            nickname: fields.optionalName("nickname"))
    }
}

extension IdentityCredential {
    /// What a provider other than Apple may need.
    init(reading fields: inout FieldReader) {
        self.init(
            identityToken: fields.optional("identityToken", atMost: FieldLimit.token),
            code: fields.optional("code", atMost: FieldLimit.authorizationCode),
            nonce: fields.optional("nonce", atMost: FieldLimit.nonce),
            accessToken: fields.optional("accessToken", atMost: FieldLimit.token),
            redirectURI: fields.optional("redirectUri", atMost: FieldLimit.url))
    }
}

/// The members of a request that prove a login again, by Apple or the provider that the request names.
struct RepeatedLogin: RequestBody {
    /// Nil without a credential.
    let login: IdentityLogin?

    init(reading fields: inout FieldReader) {
        let provider = fields.optional("provider", atMost: FieldLimit.identifier)
        var credential = IdentityCredential(reading: &fields)
        credential.userIdentifier = fields.optional("userIdentifier", atMost: FieldLimit.identifier)
        let isEmpty = credential.identityToken == nil && credential.code == nil && credential.accessToken == nil
        guard !isEmpty else {
            login = nil
            return
        }
        let name = provider.map(Provider.init(anyCase:)) ?? .apple
        if name == nil { fields.reject("provider", "must be the name of a provider") }
        login = name.map { IdentityLogin(provider: $0, credential: credential) }
    }
}

// MARK: - Response bodies

package struct LoginBody: ResponseBody {
    private let result: LoginResult
    private let tokens: TokenBody

    package init(_ result: LoginResult, withoutRefreshToken: Bool = false) {
        self.result = result
        tokens = TokenBody(result.tokens, withoutRefreshToken: withoutRefreshToken)
    }

    package func write(to json: inout JSONObjectWriter) {
        tokens.write(to: &json)
        json.member("isNewUser", result.isNewUser)
        if result.isKnownAddress { json.member("knownAddress", true) }
        json.member("user", object: OwnUser(result.user, result.tokens.attributes).write)
    }
}

private struct ChallengeBody: ResponseBody {
    let nonce: String
    let expiresIn: Duration

    func write(to json: inout JSONObjectWriter) {
        json.member("nonce", nonce)
        json.member("expiresIn", expiresIn.wholeSeconds)
    }
}
