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

/// What a provider says about the operator's id and secret, found out without a user.
package enum ProviderCheck: Sendable, Equatable {
    /// The provider refuses the made-up code, and so has accepted id and secret.
    case accepted
    /// The provider refuses the id or the secret, or calls from this address, with its own error code.
    case refused(code: String)
    /// No answer, or one that cannot be read. The text has no secret and no address.
    case unavailable(String)
    /// An answer from which neither follows, with the provider's own error code; 0 if it has none.
    case unclear(code: String)

    /// What is sent instead of the code of a user.
    static let madeUpCode = "gatehouse-check"

    /// - Parameter number: the answer to the made-up code; 0 if it has no error.
    init(error number: Int64, _ meaning: ErrorMeaning) {
        switch meaning {
        case .code: self = .accepted
        case .configuration: self = .refused(code: "\(number)")
        case .accessToken, .other: self = .unclear(code: "\(number)")
        }
    }

    init(_ fault: CallFault) {
        switch fault {
        case .credential: self = .accepted
        case .misconfigured(let code): self = .refused(code: code)
        case .unavailable(let text): self = .unavailable(text)
        case .crowded: self = .unavailable("too many logins wait for the provider")
        }
    }
}
