import Gatehouse
import POSIX

/// Counts the events of the domain.
final class ObservationCounts: MetricSource {
    let logins = LoginCounts()
    private let metrics = EventMetric.all
    /// The index of the first counter of each metric.
    private let starts: [Int]
    private let counters: StripedCounters

    init() {
        var count = 0
        starts = metrics.map { metric in
            defer { count += metric.series.count }
            return count
        }
        counters = StripedCounters(count: count)
    }

    func count(_ event: Observation) {
        switch event {
        case .loggedIn(let provider, let isNewUser): logins.countSuccess(by: provider, isNewUser: isNewUser)
        case .loginRefused(let provider, let refusal): logins.count(refusal, by: provider)
        case .sessionsEnded(_, let count), .guests(_, let count): add(count, of: event)
        default: add(1, of: event)
        }
    }

    private func add(_ amount: Int, of event: Observation) {
        for (metric, start) in zip(metrics, starts) {
            guard let values = metric.values(event) else { continue }
            if let index = metric.series.firstIndex(of: values) { counters.add(amount, to: start + index) }
            return
        }
    }

    func write(to text: inout Exposition) {
        logins.write(to: &text)
        for (metric, start) in zip(metrics, starts) {
            text.begin(metric.name, .counter, metric.help)
            for (index, values) in metric.series.enumerated() {
                text.sample(counters[start + index], zip(metric.labels, values).map { ($0, $1) })
            }
        }
    }
}

/// A counter of the domain. An event is counted by the first metric that has values for it; those of refreshes come first.
private struct EventMetric: Sendable {
    let name: String
    let help: String
    let labels: [String]
    /// The values of the labels of each line. Their number does not depend on what clients send.
    let series: [[String]]
    /// The values of the labels for an event; nil for an event that the metric does not count.
    let values: @Sendable (Observation) -> [String]?

    /// - Parameter labels: each with all its values.
    init(
        _ name: String, _ help: String, _ labels: KeyValuePairs<String, [String]> = [:],
        _ values: @escaping @Sendable (Observation) -> [String]?
    ) {
        (self.name, self.help) = (name, help)
        self.labels = labels.map(\.key)
        series = labels.reduce([[]]) { lines, label in lines.flatMap { line in label.value.map { line + [$0] } } }
        self.values = values
    }

    static let all: [EventMetric] = [
        EventMetric(
            "gatehouse_refreshes_total", "Refreshes, by result.",
            ["result": ["rotated", "repeated"] + Refusal.ofRefreshes.map(\.label)]
        ) { event in
            switch event {
            case .refreshed(let isRepeat): [isRepeat ? "repeated" : "rotated"]
            case .refreshRefused(let refusal): [refusal.label]
            default: nil
            }
        },
        EventMetric(
            "gatehouse_refresh_repeats_elsewhere_total",
            "Refreshes repeated from another device than the one that rotated the token."
        ) { if case .refreshRepeatedElsewhere = $0 { [] } else { nil } },
        EventMetric(
            "gatehouse_sessions_repeated_elsewhere_total",
            "Sessions of which three refreshes were repeated from another device than the one that rotated the token."
        ) { if case .sessionRepeatedElsewhere = $0 { [] } else { nil } },
        EventMetric(
            "gatehouse_refresh_repeated_often_total", "Refreshes that were repeated for the third time in a row."
        ) { if case .refreshRepeatedOften = $0 { [] } else { nil } },
        EventMetric(
            "gatehouse_refresh_token_reuse_total", "Sessions ended because an old refresh token was used again."
        ) { if case .refreshTokenReused = $0 { [] } else { nil } },
        EventMetric(
            "gatehouse_sessions_ended_total", "Sessions that this process ended before they expired, by reason.",
            ["reason": RevokeReason.allCases.map(\.rawValue)]
        ) { if case .sessionsEnded(let reason, _) = $0 { [reason.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_dpop_proofs_refused_total",
            "Requests refused because the proof of a bound session, or of a login, was missing or wrong, by reason.",
            ["reason": DPoPFault.allCases.map(\.rawValue)]
        ) { if case .proofRefused(let fault) = $0 { [fault.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_apple_notifications_total", "Notifications from Apple's servers, by kind.",
            ["kind": AppleNotification.Kind.allCases.map(\.rawValue)]
        ) { if case .appleNotificationApplied(let kind) = $0 { [kind.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_security_events_total", "Events from the servers of providers other than Apple, by kind.",
            ["kind": SecurityEvents.Kind.allCases.map(\.rawValue)]
        ) { if case .securityEventApplied(let kind) = $0 { [kind.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_apple_tasks_total", "Codes exchanged and tokens revoked at Apple, by kind and result.",
            [
                "kind": AppleTask.Kind.allCases.map(\.rawValue),
                "result": ["done"] + AppleServerFault.all.map(\.label),
            ]
        ) { event in
            switch event {
            case .appleTaskDone(let kind): [kind.rawValue, "done"]
            case .appleTaskFailed(let kind, let fault, _): [kind.rawValue, fault.label]
            default: nil
            }
        },
        EventMetric(
            "gatehouse_guard_unknown_role_total",
            "Guarded requests refused because nginx demands a role, a maximum age or an acr that does not exist."
        ) { event in
            switch event {
            case .unknownRoleDemanded, .unknownLoginDemanded: []
            default: nil
            }
        },
        EventMetric(
            "gatehouse_identities_of_two_users_total",
            "Logins refused because the provider's two ids of the person belong to two users."
        ) { if case .identityOfTwoUsers = $0 { [] } else { nil } },
        EventMetric("gatehouse_codes_sent_total", "Messages with codes, by channel.", ["channel": channels]) {
            if case .codeSent(let channel) = $0 { [channel.rawValue] } else { nil }
        },
        EventMetric(
            "gatehouse_codes_used_total", "Codes with which a user has signed in or bound an address, by channel.",
            ["channel": channels]
        ) { if case .codeUsed(let channel) = $0 { [channel.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_codes_refused_total",
            "Requests for codes that a limit refused, by channel and by what the limit counts.",
            ["channel": channels, "limit": CodeScope.allCases.map(\.rawValue)]
        ) { if case .codeRefused(let channel, let scope) = $0 { [channel.rawValue, scope.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_codes_wrong_total", "Tries of codes that were wrong, used, expired or tried too often."
        ) { if case .wrongCode = $0 { [] } else { nil } },
        EventMetric(
            "gatehouse_number_tokens_total", "Tokens of one-tap sign-in, by what became of them.",
            ["outcome": NumberOutcome.allCases.map(\.rawValue)]
        ) { if case .numberAsked(let outcome) = $0 { [outcome.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_messages_failed_total",
            "Messages that the gateway or the mail server did not accept, by channel and cause.",
            ["channel": channels, "cause": DeliveryFault.all.map(\.label)]
        ) {
            if case .messageNotDelivered(let channel, let fault) = $0 { [channel.rawValue, fault.label] } else { nil }
        },
        EventMetric(
            "gatehouse_owner_notices_total",
            "Attempts to tell users of a change of their account, by what it was and what came of it.",
            [
                "notice": OutgoingMessage.Notice.allCases.map(\.rawValue),
                "outcome": NoticeOutcome.allCases.map(\.rawValue),
            ]
        ) { if case .ownerNotice(let notice, let outcome) = $0 { [notice.rawValue, outcome.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_guests_total", "Guests that were made, became users, joined another user, or expired.",
            ["event": GuestEvent.allCases.map(\.rawValue)]
        ) { if case .guests(let event, _) = $0 { [event.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_web_sign_ins_total",
            "Steps of sign-ins through a browser: begun, proven by the provider, cancelled, failed, exchanged, exchange_refused.",
            ["step": WebSignInStep.allCases.map(\.rawValue)]
        ) { if case .webSignIn(let step) = $0 { [step.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_admin_acts_total", "Acts and looks of administrators in the API for support.",
            ["act": SupportActKind.allCases.map(\.rawValue)]
        ) { if case .administered(let act) = $0 { [act.rawValue] } else { nil } },
        EventMetric(
            "gatehouse_admin_refused_total",
            "Requests of administrators that the API for support has refused, by reason.",
            ["reason": Refusal.ofAdministrators.map(\.label)]
        ) { if case .administratorRefused(let refusal) = $0 { [refusal.label] } else { nil } },
    ]

    private static let channels = CodeChannel.allCases.map(\.rawValue)
}

extension Refusal {
    /// The refusals of refreshes whose series exist from the start.
    fileprivate static let ofRefreshes: [Refusal] = [
        .invalidRefreshToken, .refreshTokenExpired, .refreshTokenRevoked, .refreshTokenReused, .userDisabled,
        .invalidProof(.missing), .storageUnavailable(StoreFailure("")), .notFound,
    ]
}

extension Refusal {
    fileprivate static let ofAdministrators: [Refusal] = [
        .insufficientRole, .ownAccount, .guardedLoginTooOld(limit: .zero),
        .insufficientAuthentication(.twoFactors), .notFound,
    ]
}

extension AppleServerFault {
    /// One fault of each kind.
    static let all: [AppleServerFault] = [.grantRefused, .credentialsRefused(""), .unavailable("")]
}
