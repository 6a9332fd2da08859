#if canImport(AuthenticationServices)
    import AuthenticationServices

    /// Why there is no login with Apple.
    public enum AppleSignInError: Error, Hashable, Sendable {
        /// The user closed Apple's sheet, the task was cancelled, or another login has been started. Show nothing.
        case cancelled
        /// Apple gave no credential, for example because no Apple Account is signed in on the device (`unknown`), or
        /// because the capability *Sign in with Apple* is missing.
        case apple(ASAuthorizationError.Code)
        /// Apple's answer has no identity token, or is of another kind than Sign in with Apple.
        case noIdentityToken
        /// ``AppleSignIn/prepare(_:with:scopes:)`` was not called for this answer.
        case notPrepared
        /// The server refused the login, or did not answer.
        case gatehouse(GatehouseError)

        /// The error of an `ASAuthorizationController`.
        init(_ error: any Error) {
            switch error {
            case let error as ASAuthorizationError where error.code == .canceled: self = .cancelled
            case let error as ASAuthorizationError: self = .apple(error.code)
            default: self = .apple(.unknown)
            }
        }

        init(_ error: GatehouseError) { self = error == .cancelled ? .cancelled : .gatehouse(error) }
    }

    extension AppleSignInError: CustomStringConvertible {
        public var description: String {
            switch self {
            case .cancelled: "The login was cancelled."
            case .apple(let code): "Apple gave no credential (ASAuthorizationError \(code.rawValue))."
            case .noIdentityToken: "Apple's answer has no identity token. Start the login again."
            case .notPrepared: "The request was not prepared: call prepare(_:with:) in onRequest."
            case .gatehouse(let error): "\(error)"
            }
        }
    }
#endif
