import Foundation

/// A nonce of the server, for one login.
public struct LoginChallenge: Decodable, Hashable, Sendable {
    /// Send it with the login. Pass it to the provider, or its SHA-256 in lowercase hexadecimal, as for Apple.
    /// ``AppleSignIn`` does both.
    public let nonce: String
    /// How long it is valid, in seconds.
    public let expiresIn: Int

    /// For previews and tests of an app.
    public init(nonce: String, expiresIn: Int = 600) { (self.nonce, self.expiresIn) = (nonce, expiresIn) }
}

/// What Apple gave to the app, for a login, for linking, or as proof that the user is present.
public struct AppleLogin: Encodable, Hashable, Sendable {
    /// Apple gives it at the first login only.
    public struct Name: Encodable, Hashable, Sendable {
        public var givenName: String?
        public var familyName: String?

        public init(givenName: String? = nil, familyName: String? = nil) {
            (self.givenName, self.familyName) = (givenName, familyName)
        }
    }

    public var identityToken: String
    public var nonce: String?
    public var authorizationCode: String?
    public var userIdentifier: String?
    public var email: String?
    public var fullName: Name?
    public var nickname: String?
    /// 0 unsupported, 1 unknown, 2 likely real.
    public var realUserStatus: Int?

    public init(identityToken: String, nonce: String? = nil, authorizationCode: String? = nil) {
        (self.identityToken, self.nonce, self.authorizationCode) = (identityToken, nonce, authorizationCode)
    }
}

/// It holds an identity token, which signs in, so it does not print its contents.
extension AppleLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "AppleLogin(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A login by email address with `DEV_LOGIN_SECRET`, which only a server in development accepts.
public struct DevelopmentLogin: Encodable, Hashable, Sendable {
    public var email: String
    public var devSecret: String
    public var nickname: String?

    public init(email: String, devSecret: String, nickname: String? = nil) {
        (self.email, self.devSecret, self.nickname) = (email, devSecret, nickname)
    }
}

extension DevelopmentLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "DevelopmentLogin(…)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
