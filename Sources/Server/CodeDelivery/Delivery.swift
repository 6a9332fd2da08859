package import Gatehouse
import POSIX

/// What the senders of both channels have in common: the limit on waiting requests, and the report.
struct Delivery: Sendable {
    let channel: CodeChannel
    let gate: CallGate
    let report: DeliveryReport.Handler

    /// - Parameter send: hands the message over. It is not called if too many requests wait.
    func perform(requestID: String?, _ send: () throws(DeliveryFault) -> Void) throws(DeliveryFault) {
        do throws(DeliveryFault) {
            try passGate(send)
            report(DeliveryReport(channel: channel, fault: nil), requestID)
        } catch {
            report(DeliveryReport(channel: channel, fault: error), requestID)
            throw error
        }
    }

    private func passGate(_ send: () throws(DeliveryFault) -> Void) throws(DeliveryFault) {
        let outcome: Void? = try gate.pass { () throws(DeliveryFault) in try BlockingSection.run(send) }
        guard outcome != nil else { throw .crowded }
    }
}

/// What became of a message. It contains no address, no code and no secret.
package struct DeliveryReport: Sendable, Equatable {
    /// Takes a report, and the id of the request that caused it.
    package typealias Handler = @Sendable (_ report: DeliveryReport, _ requestID: String?) -> Void

    package let channel: CodeChannel
    /// Nil if the gateway or the mail server has accepted the message.
    package let fault: DeliveryFault?

    package init(channel: CodeChannel, fault: DeliveryFault?) {
        (self.channel, self.fault) = (channel, fault)
    }
}

/// The limits of sending.
package enum DeliveryLimits {
    /// For the whole of one message, because a request waits for it.
    package static let time = Duration.seconds(5)
}

extension Timestamp {
    package static var ofThisMachine: Timestamp { Timestamp(milliseconds: WallClock.millisecondsSince1970()) }
}
