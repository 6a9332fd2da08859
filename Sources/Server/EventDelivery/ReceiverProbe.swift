package import Curl

/// Why a receiver cannot be reached.
package enum ReceiverFault: Error, Sendable, Equatable {
    /// The name has a private address, and the settings of the receiver do not permit that.
    case privateAddress
    /// Plain HTTP would go to a public address.
    case publicAddress
    case name(String)
    case security(String)
    case unreachable(String)
    case timeout

    package init(_ fault: HTTPFault) {
        switch (fault, fault.stage) {
        case (.privateAddress, _): self = .privateAddress
        case (.publicAddress, _): self = .publicAddress
        case (_, .name): self = .name("\(fault)")
        case (_, .security): self = .security("\(fault)")
        case (_, .timeout): self = .timeout
        case (_, .connection), (_, .answer): self = .unreachable("\(fault)")
        }
    }
}

extension EventReceiver {
    /// Whether it can be reached at an address that is permitted, and has a valid certificate. It gets no request: each one
    /// would be an event.
    package func probe(timeLimit: Duration = .seconds(5)) throws(ReceiverFault) {
        do throws(HTTPFault) { try client(timeout: timeLimit).connect(url) } catch { throw ReceiverFault(error) }
    }
}
