import Gatehouse
import GatehouseServer
import GatehouseStore
import IdentityProviders
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

/// Asks the receiver for one-tap sign-in about a made-up token, which it has to refuse.
struct NumberReceiverCheck: Check {
    let subject = "one-tap receiver"
    let receiver: NumberReceiverSettings
    let isOffline: Bool

    func run() -> [Finding] {
        if isOffline { return [.note("not checked: --offline")] }
        return [evaluate(NumberReceiver(receiver, calls: ProviderCalls(gate: CallGate(limit: 1))).check())]
    }

    func evaluate(_ answer: ProviderCheck) -> Finding {
        switch answer {
        case .accepted: .ok("it accepts NUMBER_SECRET, and refuses a made-up token")
        case .refused(let text): .fault("it refuses the question: \(text)", "compare NUMBER_SECRET with the receiver's")
        case .unclear(let text): .fault("it answers with \(text)", "it has to ask the vendor about each token")
        case .unavailable(let text):
            .fault("it cannot be used: \(text)", "compare NUMBER_URL; check its log, firewalls and its certificate")
        }
    }
}

/// How many users have a number that would get no code if it were new.
struct NumbersCheck: Check {
    private static let pageSize = 10_000

    let subject = "phone numbers"
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?
    let kinds: Set<NumberKind>

    func run() -> [Finding] {
        guard let database else { return [.note("not checked: no database that this user can read")] }
        do { return [evaluate(try count(in: database))] } catch {
            return [.note("not checked: \(error)", "see database and schema above")]
        }
    }

    private func count(in database: any ExaminedDatabase) throws -> (all: Int, refused: Int) {
        var (all, refused, last) = (0, 0, "")
        while case let page = try database.numbers(after: last, limit: Self.pageSize), let end = page.last {
            all += page.count
            refused += page.count { number in (try? PhoneNumber(number))?.kind.map(kinds.contains) != true }
            last = end
        }
        return (all, refused)
    }

    func evaluate(_ count: (all: Int, refused: Int)) -> Finding {
        guard count.refused > 0 else { return .ok("each of \(count.all) gets codes") }
        return .note(
            "\(count.refused) of \(count.all) cannot exist, or are of a kind that PHONE_KINDS does not have: "
                + "their users go on, and no other user can take such a number",
            "Codes.md, Phone numbers of users")
    }
}

/// Whether the users of test codes are ordinary ones: their codes are known to more people than a secret is.
struct TestCodesCheck: Check {
    let subject = "test codes"
    let addresses: [CodeAddress]
    /// Nil if this user cannot read it.
    let database: (any ExaminedDatabase)?

    func run() -> [Finding] {
        guard let database else { return [.note("not checked: no database that this user can read")] }
        do {
            return [evaluate(try addresses.compactMap { try database.role(of: $0) })]
        } catch {
            return [.note("not checked: \(error)", "see database and schema above")]
        }
    }

    func evaluate(_ roles: [Role]) -> Finding {
        guard let role = roles.max(), role > .user else { return .ok("none of their users has a role") }
        return .fault(
            "a user who signs in with a test code has the role \(role.rawValue)",
            "gatehouse users role ID USER, or remove the code from TEST_CODES")
    }
}
