import Gatehouse
import GatehouseAPI

extension AppleLogin {
    init(_ body: AppleLoginRequest) {
        let credential = AppleCredential(
            identityToken: body.identityToken, authorizationCode: body.authorizationCode,
            userIdentifier: body.userIdentifier, nonce: body.nonce)
        self.init(
            credential: credential, email: body.email,
            name: body.fullName.map { PersonName(given: $0.givenName, family: $0.familyName) },
            nickname: body.nickname, realUserStatus: body.realUserStatus)
    }
}

extension AppleCredential {
    /// The authorization code is left out: it belongs to what the request asks for, and not to the proof.
    init(_ proof: LoginProofFields) {
        self.init(identityToken: proof.identityToken, userIdentifier: proof.userIdentifier, nonce: proof.nonce)
    }
}
