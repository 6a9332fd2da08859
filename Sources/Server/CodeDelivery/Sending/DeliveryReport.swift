package import Gatehouse

/// What became of a message. It contains no address, no code and no secret.
package struct DeliveryReport: Sendable, Equatable {
    /// Takes a report, and the id of the request that caused it.
    package typealias Handler = @Sendable (_ report: DeliveryReport, _ requestID: String?) -> Void

    package let channel: CodeChannel
    /// Nil if the gateway or the mail server has accepted the message.
    package let fault: DeliveryFault?

    package init(channel: CodeChannel, fault: DeliveryFault?) {
        self.channel = channel
        self.fault = fault
    }
}
