import Gatehouse
import JSON

/// Writes to the log whether the clock of this machine agrees with a second one.
enum ClockLog {
    static func write(_ agreement: ClockAgreement, to log: Log) {
        guard agreement != .agrees else { return log(.info, "clock", [("result", "agrees")]) }
        let fault = "\(agreement.explanation): nothing expired is deleted until two clocks agree"
        log(.error, "clock", [("fault", .string(fault))])
    }

    /// The id under which a process reports its clock to the other nodes.
    static func newNodeID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }
}

extension ClockAgreement {
    /// For the log and the health check.
    package var explanation: String {
        switch self {
        case .agrees: "two clocks agree"
        case .differs(let lead):
            "the clock is \(lead.magnitude.abbreviated) \(lead < .zero ? "behind" : "ahead of") the second one"
        case .unconfirmed(nil): "no second clock tells the time"
        case .unconfirmed(let lead?):
            "no second clock tells the time, and the last time known is \(lead.magnitude.abbreviated) ago"
        }
    }
}
