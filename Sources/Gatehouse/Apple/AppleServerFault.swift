/// Why Apple's server did not do what it was asked.
package enum AppleServerFault: Error, Sendable, Equatable {
    /// The code or token is not good, or not any more: asking again does not help.
    case grantRefused
    /// Our own credentials are refused: an operator has to look, and asking again helps afterwards.
    case credentialsRefused(String)
    /// No answer, or none that can be read: asking again may help.
    case unavailable(String)
}
