package import Gatehouse
package import JSON

/// `POST /api/auth/apple`: logs in by an identity token.
struct AppleLoginEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let body = try request.read(AppleLoginBody.self)
        return .ok(LoginBody(try auth.logIn(body.login, boundBy: request.proof, from: request.device, in: &context)))
    }
}

/// `POST /api/auth/apple/challenge`: returns a nonce for one login with Apple.
struct AppleChallengeEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple/challenge"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        let challenge = auth.challenge()
        return .ok(ChallengeBody(nonce: challenge.nonce, expiresIn: challenge.expiresIn))
    }
}

/// `POST /api/auth/dev-login`: logs in by the development secret, if one is configured.
struct DevLoginEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/dev-login"
    let auth: AuthService

    func respond(to request: Request, in context: inout RequestContext) throws -> Response {
        // Checked before the body is read, so that a disabled login answers every body alike.
        guard auth.allowsDevLogin else { throw Refusal.devLoginDisabled }
        let body = try request.read(DevLoginBody.self)
        return .ok(LoginBody(try auth.logIn(body.login, boundBy: request.proof, from: request.device, in: &context)))
    }
}

// MARK: - Request bodies

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
            identityToken: identityToken, authorizationCode: authorizationCode, userIdentifier: userIdentifier,
            nonce: nonce)
        login = IdentityLogin(
            credential: credential, email: email, name: name, nickname: nickname, realUserStatus: realUserStatus)
    }
}

private struct DevLoginBody: RequestBody {
    let login: DevLogin

    init(reading fields: inout FieldReader) {
        login = DevLogin(
            email: fields.requiredEmail("email"), secret: fields.required("devSecret", atMost: FieldLimit.secret),
            nickname: fields.optionalName("nickname"))
    }
}

extension IdentityCredential {
    /// The members of a request that prove a login again. Nil without an identity token.
    init?(proofIn fields: inout FieldReader) {
        let token = fields.optional("identityToken", atMost: FieldLimit.token)
        let nonce = fields.optional("nonce", atMost: FieldLimit.nonce)
        let userIdentifier = fields.optional("userIdentifier", atMost: FieldLimit.identifier)
        guard let token else { return nil }
        self.init(identityToken: token, userIdentifier: userIdentifier, nonce: nonce)
    }
}

// MARK: - Response bodies

package struct LoginBody: ResponseBody {
    private let result: LoginResult

    package init(_ result: LoginResult) {
        self.result = result
    }

    package func write(to json: inout JSONObjectWriter) {
        result.tokens.write(to: &json)
        json.member("isNewUser", result.isNewUser)
        json.member("user", object: result.user.write)
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
