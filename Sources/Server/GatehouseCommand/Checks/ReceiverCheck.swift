import EventDelivery
import GatehouseServer

/// Connects to a receiver of events. It gets no request.
struct ReceiverCheck: Check {
    let receiver: EventReceiver
    /// The receiver's file, for advice; nil for that of `EVENTS_URL`.
    let file: String?
    let isOffline: Bool

    var subject: String { "receiver \(receiver.name)" }

    func run() -> [Finding] {
        if isOffline { return [.note("not checked: --offline")] }
        do throws(ReceiverFault) {
            try receiver.probe()
            return [.ok("it can be reached; whether it accepts the secret shows with the first event")]
        } catch {
            return [evaluate(error)]
        }
    }

    func evaluate(_ fault: ReceiverFault) -> Finding {
        switch fault {
        case .privateAddress:
            let permission =
                file.map { "set PRIVATE_ADDRESSES=permitted in \($0.shellQuoted)" }
                ?? "move it to a file in RECEIVERS_DIR that has PRIVATE_ADDRESSES=permitted"
            return .fault(
                "the name in \(setting) has a private address, so no event is sent to it",
                "if the receiver is in your own network, \(permission); if not, correct the name or its DNS records")
        case .publicAddress:
            return .fault(
                "the name in \(setting) has a public address, and http goes to private ones only: no event is sent to it",
                "set an https URL as \(place)")
        case .name(let text):
            return .fault("its name cannot be resolved: \(text)", "correct \(place), or check the DNS of this machine")
        case .security(let text):
            return .fault(
                "it has no valid certificate: \(text)",
                "give the receiver a certificate for the name in \(place); curl -v shows what is wrong")
        case .unreachable(let text):
            return .fault("it cannot be reached: \(text)", "correct \(place), or check ip route and firewalls")
        case .timeout:
            return .fault("it did not answer in time", "correct \(place), or check ip route and firewalls")
        }
    }

    private var setting: String { file == nil ? "EVENTS_URL" : "URL" }

    private var place: String { setting + (file.map { " in \($0.shellQuoted)" } ?? "") }
}
