import Gatehouse
import GatehouseAPI

/// `POST /api/auth/apple`: signs in by an identity token.
struct AppleLoginEndpoint: Endpoint {
    let method = Method.post
    let path = "/api/auth/apple"
    let gatekeeper: Gatekeeper

    func respond(to request: Request) throws(Problem) -> Response {
        let login = AppleLogin(try request.read(AppleLoginRequest.self))
        let signedIn = try refusing { () throws(Refusal) in try gatekeeper.signIn(login, from: request.device) }
        return .ok(LoginBody(signedIn))
    }
}

extension AppleLogin {
    fileprivate init(_ body: AppleLoginRequest) {
        let credential = AppleCredential(
            identityToken: body.identityToken, authorizationCode: body.authorizationCode,
            userIdentifier: body.userIdentifier, nonce: body.nonce)
        self.init(
            credential: credential, email: body.email,
            name: body.fullName.map { PersonName(given: $0.givenName, family: $0.familyName) },
            nickname: body.nickname, realUserStatus: body.realUserStatus)
    }
}
