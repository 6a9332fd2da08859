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
