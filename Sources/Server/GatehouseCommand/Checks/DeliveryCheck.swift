import CodeDelivery
import Gatehouse
import GatehouseServer
import POSIX

/// Connects to the gateway for SMS, or logs in to the mail server. No message is sent.
struct DeliveryCheck: Check {
    let channel: CodeChannel
    let delivery: ConfiguredDelivery
    let isOffline: Bool

    var subject: String {
        switch channel {
        case .phone: "SMS gateway"
        case .email: "mail server"
        }
    }

    func run() -> [Finding] {
        if isOffline { return [.note("not checked: --offline")] }
        do throws(DeliveryFault) {
            try probe()
            return [.ok(success)]
        } catch {
            return [evaluate(error)]
        }
    }

    private func probe() throws(DeliveryFault) {
        let gate = CallGate(limit: 1)
        switch channel {
        case .phone:
            guard let settings = delivery.sms else { return }
            try SMSGateway(
                settings: settings, templates: delivery.templates, app: delivery.app, country: { _ in nil }, gate: gate
            ).probe()
        case .email:
            guard let settings = delivery.mail else { return }
            try MailServer(settings: settings, templates: delivery.templates, app: delivery.app, gate: gate).probe()
        }
    }

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
