import Foundation

/// What a provider's SDK gave to the app, for a login, for linking, or as proof that the user is present.
public struct ProviderLogin: Hashable, Sendable {
    /// Which kind of credential is needed depends on the provider.
    public struct Credential: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case apple(AppleLogin)
            case identityToken(String, nonce: String?, accessToken: String?)
            case code(String, redirectURI: String?)
            case accessToken(String)
        }

        let kind: Kind

        /// The identity token of an OpenID provider.
        ///
        /// - Parameters:
        ///   - nonce: what was passed to the provider, or the text whose SHA-256 was passed in lowercase hexadecimal.
        ///   - accessToken: the one that came with the identity token. The server checks that they belong together.
        public static func identityToken(
            _ token: String, nonce: String? = nil, accessToken: String? = nil
        ) -> Credential {
            Credential(kind: .identityToken(token, nonce: nonce, accessToken: accessToken))
        }

        /// A code, which the server exchanges at the provider. A code can be used once, so the client sends it once:
        /// after an error, get a new one from the provider.
        ///
        /// - Parameter redirectURI: where the provider sent the code, if it asks for that.
        public static func code(_ code: String, redirectURI: String? = nil) -> Credential {
            Credential(kind: .code(code, redirectURI: redirectURI))
        }

        /// The access token of a provider that issues no identity token.
        public static func accessToken(_ token: String) -> Credential { Credential(kind: .accessToken(token)) }
    }

    /// By the name that the server's operator has given to it.
    public let provider: Provider
    let credential: Credential
    /// For a user without a nickname.
    public var nickname: String?

    public init(_ provider: Provider, _ credential: Credential, nickname: String? = nil) {
        (self.provider, self.credential, self.nickname) = (provider, credential, nickname)
    }
}

/// The usual providers, under the names that they usually have at a server.
extension ProviderLogin {
    /// What Sign in with Apple gave to the app.
    public static func apple(_ login: AppleLogin) -> ProviderLogin {
        ProviderLogin(.apple, Credential(kind: .apple(login)), nickname: login.nickname)
    }

    /// - Parameters:
    ///   - idToken: `user.idToken?.tokenString` of the result of Google's SDK.
    ///   - nonce: the one that was passed to Google's SDK, which does not hash it.
    ///   - accessToken: `user.accessToken.tokenString` of the same result.
    public static func google(idToken: String, nonce: String? = nil, accessToken: String? = nil) -> ProviderLogin {
        ProviderLogin(.google, .identityToken(idToken, nonce: nonce, accessToken: accessToken))
    }

    /// - Parameter code: the one of `SendAuthResp`.
    public static func weChat(code: String) -> ProviderLogin { ProviderLogin(.weChat, .code(code)) }

    public static func qq(accessToken: String) -> ProviderLogin { ProviderLogin(.qq, .accessToken(accessToken)) }

    public static func qq(code: String, redirectURI: String) -> ProviderLogin {
        ProviderLogin(.qq, .code(code, redirectURI: redirectURI))
    }
}

/// It holds what signs in, so it does not print its contents.
extension ProviderLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "ProviderLogin(\(provider.rawValue) …)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ProviderLogin.Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Credential(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

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
    /// No code, but a token of one-tap sign-in.
    case carrier
    /// No code, but the challenge that a passkey has answered.
    case passkey
}

/// How a user signs in: Apple, or a provider of the name that the server's operator has chosen. Servers may add values.
public struct Provider: RawRepresentable, Codable, Hashable, Sendable {
    /// As the server writes it, in upper case.
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// - Parameter name: in any case, such as `company`.
    public init(_ name: String) { rawValue = name.uppercased() }

    public static let apple = Provider(rawValue: "APPLE")
    public static let development = Provider(rawValue: "DEV")
    public static let google = Provider(rawValue: "GOOGLE")
    public static let weChat = Provider(rawValue: "WECHAT")
    public static let qq = Provider(rawValue: "QQ")
    /// By a code that the server sends (``GatehouseClient/requestCode(to:resending:)``) or by one tap
    /// (``GatehouseClient/signIn(numberToken:gateway:nickname:)``).
    public static let phone = Provider(rawValue: "PHONE")
    public static let email = Provider(rawValue: "EMAIL")
    public static let passkey = Provider(rawValue: "PASSKEY")
    /// The session of a guest. See ``GatehouseClient/continueAsGuest(nickname:)``.
    public static let guest = Provider(rawValue: "GUEST")
}

extension Provider: ExpressibleByStringLiteral {
    public init(stringLiteral name: String) { self.init(name) }
}
