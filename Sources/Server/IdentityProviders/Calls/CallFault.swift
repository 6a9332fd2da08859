import Gatehouse

/// Why the calls of a login proved no identity.
enum CallFault: Error, Sendable, Equatable {
    /// The provider does not accept the client's credential.
    case credential(IdentityFault)
    /// The provider does not accept the operator's id or secret. With its own error code.
    case misconfigured(code: String)
    /// No answer, or one that cannot be used. The text has no secret and no address.
    case unavailable(String)
    /// Too many logins wait for the provider.
    case crowded

    static func unreadable(_ path: String) -> CallFault { .unavailable("\(path): an answer that cannot be read") }
}

/// What an error number of a provider is about.
enum ErrorMeaning: Sendable, Equatable {
    case code
    case accessToken
    /// The operator's id, secret or settings at the provider.
    case configuration
    case other
}

/// What a call presents for the client. Only what came from the client can be the client's fault.
enum PresentedCredential: Sendable {
    case code
    case accessToken
    /// The access token that the provider has just given for a code.
    case exchangedToken
}

extension CallFault {
    /// - Parameter path: of the call that got the error.
    init(error number: Int64, _ meaning: ErrorMeaning, at path: String, presenting credential: PresentedCredential) {
        switch (meaning, credential) {
        case (.configuration, _): self = .misconfigured(code: "\(number)")
        case (.code, .code): self = .credential(.code)
        case (.accessToken, .accessToken): self = .credential(.accessToken)
        default: self = .unavailable("\(path): error \(number)")
        }
    }
}
