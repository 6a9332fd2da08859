package import CodeDelivery
package import Gatehouse
package import POSIX
import Synchronization

/// Builds the senders of messages from the settings. A reload keeps the gates, through which messages may be on their way.
final class Senders: Sendable {
    private let gates: [CodeChannel: CallGate]
    private let log: Log
    private let failures = Mutex<[CodeChannel: Int]>([:])
    private let configured = Mutex<Set<CodeChannel>>([])
    private let throttle = LogThrottle(every: .seconds(60))

    /// - Parameter each: how many requests may wait for one receiver. Each of them occupies a worker thread.
    init(each: Int, log: Log) {
        gates = Dictionary(uniqueKeysWithValues: CodeChannel.allCases.map { ($0, CallGate(limit: each)) })
        self.log = log
    }

    /// Failures of settings before say nothing about these.
    func build(_ configured: ConfiguredDelivery) -> [CodeChannel: any MessageSender] {
        failures.withLock { $0.removeAll() }
        self.configured.withLock { $0 = Set(configured.channels) }
        return configured.channels.reduce(into: [:]) { senders, channel in
            senders[channel] = gates[channel].flatMap { configured.sender(for: channel, through: $0, report: report) }
        }
    }

    private var report: DeliveryReport.Handler {
        { [self] report, requestID in
            if report.fault?.isOfReceiver ?? true {
                failures.withLock { $0[report.channel] = report.fault == nil ? 0 : $0[report.channel, default: 0] + 1 }
            }
            report.write(to: log, throttle: throttle, requestID: requestID)
        }
    }

    /// Number of messages that were not accepted since the last one that was.
    func failures(of channel: CodeChannel) -> Int { failures.withLock { $0[channel, default: 0] } }

    func isConfigured(_ channel: CodeChannel) -> Bool { configured.withLock { $0.contains(channel) } }

    /// Number of requests that wait for a gateway or a mail server now.
    func waiting(for channel: CodeChannel) -> Int { gates[channel]?.count ?? 0 }
}

extension ConfiguredDelivery {
    /// Nil for a channel that is not configured.
    package func sender(
        for channel: CodeChannel, through gate: CallGate, report: @escaping DeliveryReport.Handler = { _, _ in }
    ) -> (any MessageSender)? {
        switch channel {
        case .phone:
            sms.map {
                SMSDelivery(
                    settings: $0, templates: templates, app: app, domain: domain,
                    country: { (try? PhoneNumber(ofAnyKind: $0))?.country.code }, gate: gate, report: report)
            }
        case .email:
            mail.map {
                MailDelivery(settings: $0, templates: templates, app: app, domain: domain, gate: gate, report: report)
            }
        }
    }
}
