import Gatehouse
import GatehouseServer
import POSIX

/// Connects to the gateway for SMS, or logs in to the mail server. No message is sent.
struct DeliveryCheck: Check {
    let channel: CodeChannel
    let delivery: ConfiguredDelivery
    let isOffline: Bool
    /// Of the running server; nil if none answers.
    var metrics: String?

    var subject: String {
        switch channel {
        case .phone: "SMS gateway"
        case .email: "mail server"
        }
    }

    func run() -> [Finding] {
        if isOffline { return [.note("not checked: --offline")] }
        do throws(DeliveryFault) {
            try delivery.sender(for: channel, through: CallGate(limit: 1))?.probe()
            return [evaluate(metrics: metrics ?? "") ?? .ok(success)]
        } catch {
            return [evaluate(error)]
        }
    }

    /// What became of the last messages of the running server. Nil if the last one was accepted, or none was sent.
    func evaluate(metrics: String) -> Finding? {
        let name = "gatehouse_messages_failed_since_success{channel=\"\(channel.rawValue)\"} "
        let line = metrics.split(separator: "\n").first { $0.hasPrefix(name) }
        guard let count = line.flatMap({ Int($0.dropFirst(name.count)) }), count > 0 else { return nil }
        let message = "it can be reached, and has not accepted the last \(count == 1 ? "message" : "\(count) messages")"
        let advice = "journalctl -u gatehouse -g '\"delivery\"' -n 5 has the reason; then: gatehouse codes test ADDRESS"
        return count < Self.usualFailures ? .note(message, advice) : .fault(message, advice)
    }

    /// Single messages also fail because of their address.
    private static let usualFailures = 3

    private var success: String {
        switch channel {
        case .phone: "it can be reached; whether it accepts SMS_SECRET shows with the first code"
        case .email: "it can be reached, and accepts the login if one is set"
        }
    }

    func evaluate(_ fault: DeliveryFault) -> Finding {
        switch fault {
        case .misconfigured(let text):
            .fault("it refuses the login: \(text)", "compare \(settings) with the provider's")
        case .unavailable(let text), .failed(let text), .limited(let text), .refused(let text):
            .fault("it cannot be used: \(text)", "compare \(settings); check ip route, firewalls and its certificate")
        case .timeout, .crowded:
            .fault("it did not answer in time", "compare \(settings); check ip route and firewalls")
        }
    }

    private var settings: String {
        switch channel {
        case .phone: "SMS_URL"
        case .email: "SMTP_URL, SMTP_USERNAME and SMTP_PASSWORD"
        }
    }
}
