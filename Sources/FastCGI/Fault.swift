package import POSIX

/// What went wrong with a connection or the listener, for the log and for counting: no answer says so.
package enum Fault: Error, Sendable {
    case refused(Refusal)
    /// `Limits.connections` was reached: the connection that had been idle longest was closed, or the new one if none was.
    case tooManyConnections
    /// A request did not arrive in full, or its answer was not read, in time.
    case expired
    case acceptFailed(POSIXError)
}

/// Why a connection is closed without an answer.
package enum Refusal: Error, Sendable, Equatable {
    case unsupportedVersion
    /// A record that cannot come at its place, or has another form than its type gives it.
    case protocolViolation
    case parametersTooLong
    /// A parameter's length that leads out of the parameters, or a pair that "NAME=value" cannot express.
    case malformedParameters
}
