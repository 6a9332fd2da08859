/// Why a connection is closed without an answer.
package enum Refusal: Error, Sendable, Equatable {
    case unsupportedVersion
    /// A record that cannot come at its place, or has another form than its type gives it.
    case protocolViolation
    case parametersTooLong
    /// A parameter's length that leads out of the parameters.
    case malformedParameters
}
