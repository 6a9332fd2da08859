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
