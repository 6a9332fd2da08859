/// What an operator has to know about a call to a provider. It contains no secret, no code and no address with one.
package enum ProviderReport: Sendable, Equatable {
    /// Takes a report, and the id of the request that caused it.
    package typealias Handler = @Sendable (_ report: ProviderReport, _ requestID: String?) -> Void

    /// The provider answered, whatever it said about the client's credential.
    case answered
    /// The provider refuses the operator's id or secret, with its own error code.
    case misconfigured(code: String)
    /// No answer, or one that cannot be read.
    case unavailable(String)
    /// The limit of waiting requests was reached, so the provider was not asked.
    case crowded
}
