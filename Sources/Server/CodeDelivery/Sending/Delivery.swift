import Gatehouse
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
