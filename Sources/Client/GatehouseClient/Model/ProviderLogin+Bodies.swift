import Foundation

/// The members of a request that prove an identity at a provider. Those that are nil are not sent.
struct CredentialBody: Encodable {
    var provider: String?
    var identityToken: String?
    var nonce: String?
    var accessToken: String?
    var code: String?
    var redirectUri: String?
    var authorizationCode: String?
    var userIdentifier: String?
    var nickname: String?
}

extension ProviderLogin {
    /// Whether the credential can be used once. Such a login is sent once: the server may have used the credential
    /// although its answer was lost.
    var isUsedOnce: Bool {
        if case .code = credential.kind { true } else { false }
    }

    /// The body of a login. Apple's has members that no other login has, and a path of its own.
    var loginBody: Data? {
        if let appleBody { return appleBody }
        var body = members
        (body.provider, body.nickname) = (provider.rawValue, nickname)
        return encoded(body)
    }

    /// The body for linking, where the path names the provider.
    var linkBody: Data? {
        appleBody ?? encoded(members)
    }

    /// The members that prove that the user is present. The server takes Apple where they name no provider.
    var proof: CredentialBody {
        var body = members
        if case .apple = credential.kind { return body }
        body.provider = provider.rawValue
        return body
    }

    private var members: CredentialBody {
        switch credential.kind {
        case .apple(let login):
            CredentialBody(
                identityToken: login.identityToken, nonce: login.nonce, userIdentifier: login.userIdentifier)
        case .identityToken(let token, let nonce, let accessToken):
            CredentialBody(identityToken: token, nonce: nonce, accessToken: accessToken)
        case .code(let code, let redirectURI): CredentialBody(code: code, redirectUri: redirectURI)
        case .accessToken(let token): CredentialBody(accessToken: token)
        }
    }

    private var appleBody: Data? {
        guard case .apple(var login) = credential.kind else { return nil }
        login.nickname = nickname
        return encoded(login)
    }

    private func encoded(_ body: some Encodable) -> Data? { try? JSONEncoder().encode(body) }
}

/// A login as it is sent.
struct LoginRequest: Sendable {
    let path: String
    let body: Data?
    let provider: Provider
    /// Where its code came from. Nil for a login with another credential.
    let code: CodeOrigin?

    /// Whether the server may have used its credential although the answer was lost.
    var isUsedOnce: Bool { code != nil }

    init(path: String, body: Data?, provider: Provider, code: CodeOrigin?) {
        (self.path, self.body, self.provider, self.code) = (path, body, provider, code)
    }

    init(_ login: ProviderLogin) {
        path = if case .apple = login.credential.kind { "auth/apple" } else { "auth/identity" }
        (body, provider) = (login.loginBody, Provider(login.provider.rawValue))
        code = login.isUsedOnce ? .provider : nil
    }

    init(_ login: DevelopmentLogin) {
        (path, body) = ("auth/dev-login", try? JSONEncoder().encode(login))
        (provider, code) = (.development, nil)
    }
}

/// From where an app has a code, which can be used once.
enum CodeOrigin: Sendable {
    case provider
    /// A message that the server has sent.
    case message
    /// The address to which a browser was sent back.
    case browser
}
