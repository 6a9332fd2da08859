/// What an app sends after Sign in with Apple, as far as it bears on whether the login is genuine.
package struct AppleCredential: Sendable {
    package let identityToken: String
    package var authorizationCode: String?
    package var userIdentifier: String?
    package var nonce: String?

    package init(
        identityToken: String, authorizationCode: String? = nil, userIdentifier: String? = nil, nonce: String? = nil
    ) {
        self.identityToken = identityToken
        self.authorizationCode = authorizationCode
        self.userIdentifier = userIdentifier
        self.nonce = nonce
    }
}
