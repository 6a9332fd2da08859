package import POSIX

/// A failure of a connection or of the listener, for the log and the metrics. The peer gets no response.
package enum Fault: Error, Sendable {
    case refused(Refusal)
    /// `Limits.connections` was reached: the connection idle for longest was closed, or the new one if none was idle.
    case tooManyConnections
    /// `Limits.unfinishedRequests` was exceeded: the largest incomplete request was closed.
    case tooManyUnfinishedBytes
    /// A request was not complete in time, or its response was not read in time.
    case expired
    /// The peer closed its connection while the process was suspended, so its request is not executed.
    case abandoned
    case acceptFailed(POSIXError)
}

/// Why a connection is closed without a response.
package enum Refusal: Error, Sendable, Equatable {
    case unsupportedVersion
    /// A record of an unexpected type, or with an invalid form.
    case protocolViolation
    case parametersTooLong
    /// A length beyond the end of the parameters, or a pair that "NAME=value" cannot express.
    case malformedParameters
}
