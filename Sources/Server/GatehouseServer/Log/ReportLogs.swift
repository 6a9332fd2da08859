import CodeDelivery
import Curl
import EventDelivery
import FastCGI
import FileSystem
import Gatehouse
import IdentityProviders
import JSON
import POSIX

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

/// Counts and logs the faults of connections.
struct ConnectionFaults: Sendable {
    let metrics: ConnectionMetrics
    let log: Log
    private let throttle = LogThrottle(every: .seconds(60))

    init(metrics: ConnectionMetrics, log: Log) {
        (self.metrics, self.log) = (metrics, log)
    }

    func report(_ fault: Fault, at now: MonotonicTime = .now) {
        metrics.count(fault)
        // While a limit is reached, every new connection or request has this fault: its lines would fill the disk.
        if fault.isOfLimit, !throttle.permits("\(fault)", at: now) { return }
        log(fault.level, "connection", [("fault", .string("\(fault)"))])
    }
}

extension Fault {
    fileprivate var isOfLimit: Bool {
        switch self {
        case .tooManyConnections, .tooManyUnfinishedBytes: true
        case .refused, .expired, .abandoned, .acceptFailed: false
        }
    }

    /// A peer's fault does not concern the operator. A failure of this process does.
    fileprivate var level: LogLevel {
        switch self {
        case .refused, .expired: .debug
        case .abandoned: .info
        case .tooManyConnections, .tooManyUnfinishedBytes, .acceptFailed: .warning
        }
    }
}

extension KeySetReport {
    /// Without a key set no user can sign in with Apple: an error. A failed renewal or a skipped key is a warning,
    /// since logins fail when Apple changes its key.
    func write(to log: Log, requestID: String?) {
        log(line.level, "apple_" + line.event, line.fields, requestID: requestID)
    }

    /// The same for another provider.
    func write(to log: Log, of provider: Provider, requestID: String?) {
        let name: (String, JSONValue) = ("provider", .string(provider.rawValue))
        log(line.level, "provider_" + line.event, [name] + line.fields, requestID: requestID)
    }

    private var line: (level: LogLevel, event: String, fields: [(String, JSONValue)]) {
        switch self {
        case .renewed(let keys, let skipped):
            let fields = [("usable", keys.json), ("skipped", .array(skipped.map(JSONValue.string)))]
            return (skipped.isEmpty ? .info : .warning, "keys", fields)
        case .failed(let fault, let age?):
            return (.warning, "keys", [("fault", .string(fault.description)), ("age", age.inSeconds)])
        case .failed(let fault, nil):
            return (.error, "keys", [("fault", .string(fault.description)), ("age", .null)])
        case .restored(let keys, let age):
            return (.info, "keys_restored", [("usable", keys.json), ("age", age.inSeconds)])
        case .discarded(let fault):
            return (.warning, "keys_discarded", [("fault", .string(fault.description))])
        }
    }
}

extension Int {
    fileprivate var json: JSONValue { .integer(Int64(self)) }
}

extension Duration {
    fileprivate var inSeconds: JSONValue { .integer(wholeSeconds) }
}

extension AppleServerFault {
    /// A fault that only an operator can correct is an error; one that may pass is a warning.
    var level: LogLevel {
        switch self {
        case .grantRefused, .unavailable: .warning
        case .credentialsRefused: .error
        }
    }

    var explanation: String {
        let table = Settings.table
        return switch self {
        case .grantRefused: "Apple no longer accepts this code or token"
        case .secretUnreadable:
            "\(table.apple.dataKey.name) cannot decrypt data that another key encrypted"
        case .credentialsRefused(let word):
            "Apple refuses our credentials (\(word)): check \(table.apple.teamID.name), \(table.apple.keyID.name) and "
                + table.apple.privateKey.name
        case .unavailable(let fault): "Apple does not answer: \(fault)"
        }
    }
}

extension ProviderReport {
    /// A provider that refuses the operator's credentials is an error: no user can sign in with it until the operator
    /// corrects them. Equal lines are limited, because every login would repeat them.
    func write(to log: Log, of provider: Provider, throttle: LogThrottle, requestID: String?) {
        guard let (level, fault) = line(of: provider), throttle.permits("\(provider.rawValue) \(fault)") else { return }
        log(
            level, "provider", [("provider", .string(provider.rawValue)), ("fault", .string(fault))],
            requestID: requestID)
    }

    private func line(of provider: Provider) -> (LogLevel, String)? {
        switch self {
        case .answered: nil
        // Of the receiver for one-tap sign-in.
        case .misconfigured(let code) where provider == .phone:
            (.error, "the receiver answers \(code): compare \(Settings.table.delivery.numberSecret.name)")
        case .misconfigured(let code):
            (.error, "the provider refuses the id or the secret of this installation (\(code)): correct its file")
        case .unavailable(let text): (.warning, text)
        case .crowded: (.warning, "too many logins wait for the provider: it is slow or does not answer")
        }
    }
}

extension DeliveryReport {
    /// A receiver that refuses the operator's credentials is an error: no code arrives until the operator corrects them. Equal
    /// lines are limited, because every code would repeat them.
    func write(to log: Log, throttle: LogThrottle, requestID: String?) {
        guard let (level, text) = line, throttle.permits("\(channel.rawValue) \(text)") else { return }
        log(
            level, "delivery", [("channel", .string(channel.rawValue)), ("fault", .string(text))],
            requestID: requestID)
    }

    private var line: (LogLevel, String)? {
        switch fault {
        case nil: nil
        case .misconfigured(let text): (.error, "\(text): correct the settings of this installation")
        case .unavailable(let text), .failed(let text), .limited(let text), .refused(let text): (.warning, text)
        case .timeout:
            (.warning, "no answer, or none in time, and the message may have been sent; look at \(HTTPFault.silence)")
        case .crowded: (.warning, "too many messages wait: the receiver is slow or does not answer")
        }
    }
}

extension EventDeliveryReport {
    /// Equal lines are limited, because every event would repeat them. None holds anything of an event.
    func write(to log: Log, throttle: LogThrottle) {
        switch self {
        case .sent(let receiver, let outcome):
            guard let fault = outcome.fault, throttle.permits("\(receiver) \(fault)") else { return }
            log(.warning, "events", [("receiver", .string(receiver)), ("fault", .string(fault))])
        case .stopped(let receiver):
            let fault =
                "the receiver wants no more events (status 410): nothing is sent until gatehouse events resume \(receiver)"
            log(.error, "events", [("receiver", .string(receiver)), ("fault", .string(fault))])
        case .gaveUp(let receiver, let count, let fault):
            guard count > 0 else { return }
            log(
                .error, "events_given_up",
                [
                    ("receiver", .string(receiver)), ("count", .integer(Int64(count))), ("fault", .string(fault)),
                    ("advice", .string("gatehouse events retry --dead --receiver \(receiver) sends them again")),
                ])
        case .storeFailed(.storageUnavailable(let failure)): log.storeFailure(failure)
        case .storeFailed: return
        }
    }
}

extension EventOutcome {
    fileprivate var fault: String? {
        switch self {
        case .accepted, .gone: nil
        case .busy(_, let fault), .unreachable(let fault), .refused(let fault): fault
        }
    }
}
