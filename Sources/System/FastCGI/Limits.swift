package import POSIX

/// The limits for peers.
package struct Limits: Sendable {
    /// Bytes of a request's parameters. nginx accepts 32 KiB of headers (4 × 8 KiB) and sends the query twice.
    package var parameters = 64 << 10

    /// Bytes of a request's body. A larger one is answered with 413.
    package var body = 64 << 10

    /// Bytes of all requests that arrive in parts and are not answered yet. Most requests arrive at once: they wait in
    /// their sockets, and are not counted. Beyond this the largest incomplete request is closed.
    package var unfinishedRequests = 64 << 20

    /// Open connections. nginx may open one for each concurrent request; an idle one takes some hundred bytes.
    package var connections = 4096

    /// How long a request may take to arrive, from its first byte on. nginx sends a request once
    /// it has received all of it.
    package var incompleteFor: Duration = .seconds(10)

    /// How long a response may wait for the peer to read more of it.
    package var unreadFor: Duration = .seconds(10)

    /// How long a connection may be idle. It is longer than nginx's timeout (30 s in
    /// nginx/conf.d/gatehouse.conf, 60 s by default), so that nginx closes first: a request sent into a
    /// connection that was just closed here results in a 502.
    package var idleFor: Duration = .seconds(90)

    /// How long the rest of a refused body is read and discarded, so that the sender gets the
    /// response instead of a reset.
    package var lingerFor: Duration = .seconds(2)

    /// How long a shutdown waits for running requests: longer than any handler, shorter than the
    /// service manager waits (`TimeoutStopSec=` of 40 s).
    package var drain: Duration = .seconds(25)

    /// How often deadlines are checked.
    package var sweepEvery: Duration = .seconds(1)

    package static let standard = Limits()
}

/// A failure of a connection or of the listener, for the log and the metrics. The peer gets no response.
package enum Fault: Error, Sendable {
    case refused(ProtocolFault)
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
package enum ProtocolFault: Error, Sendable, Equatable {
    case unsupportedVersion
    /// A record of an unexpected type, or with an invalid form.
    case protocolViolation
    case parametersTooLong
    /// A length beyond the end of the parameters, or a pair that "NAME=value" cannot express.
    case malformedParameters
}
