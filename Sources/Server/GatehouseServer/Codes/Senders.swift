import CodeDelivery
import Gatehouse
import POSIX

/// Builds the senders of messages from the settings. A reload keeps the gates, through which messages may be on their way.
final class Senders: Sendable {
    private let gates: [CodeChannel: CallGate]
    private let log: Log
    private let throttle = LogThrottle(every: .seconds(60))

    /// - Parameter each: how many requests may wait for one receiver. Each of them occupies a worker thread.
    init(each: Int, log: Log) {
        gates = Dictionary(uniqueKeysWithValues: CodeChannel.allCases.map { ($0, CallGate(limit: each)) })
        self.log = log
    }

    func build(_ configured: ConfiguredDelivery) -> [CodeChannel: any MessageSender] {
        var senders: [CodeChannel: any MessageSender] = [:]
        if let sms = configured.sms, let gate = gates[.phone] {
            senders[.phone] = SMSGateway(
                settings: sms, templates: configured.templates, app: configured.app, domain: configured.domain,
                country: { (try? PhoneNumber(ofAnyKind: $0))?.country.code }, gate: gate, report: report)
        }
        if let mail = configured.mail, let gate = gates[.email] {
            senders[.email] = MailServer(
                settings: mail, templates: configured.templates, app: configured.app, domain: configured.domain,
                gate: gate, report: report)
        }
        return senders
    }

    private var report: DeliveryReport.Handler {
        { [log, throttle] report, requestID in report.write(to: log, throttle: throttle, requestID: requestID) }
    }

    /// Number of requests that wait for a gateway or a mail server now.
    func waiting(for channel: CodeChannel) -> Int { gates[channel]?.count ?? 0 }
}
