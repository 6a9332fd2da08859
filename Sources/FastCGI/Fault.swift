package import POSIX

/// What went wrong with a connection or the listener without anyone's answer saying so: for a log and for counting.
package enum Fault: Error, Sendable {
    case refused(Refusal)
    /// `Limits.connections` was reached: the connection that had been idle longest was closed, or the new one if none was.
    case tooManyConnections
    /// A request did not arrive in full, or its answer was not read, in time.
    case expired
    case acceptFailed(POSIXError)
}
