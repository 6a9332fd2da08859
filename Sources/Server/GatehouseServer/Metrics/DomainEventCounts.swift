import Gatehouse
import POSIX

/// Counts the events of the domain.
final class DomainEventCounts: MetricSource {
    let logins = LoginCounts()
    private let indices: [Series: Int]
    private let counters: StripedCounters

    init() {
        indices = Dictionary(uniqueKeysWithValues: Series.all.enumerated().map { ($1, $0) })
        counters = StripedCounters(count: Series.all.count)
    }

    func count(_ event: DomainEvent) {
        switch event {
        case .loggedIn(let provider, let isNewUser): logins.countSuccess(by: provider, isNewUser: isNewUser)
        case .loginRefused(let provider, let refusal): logins.count(refusal, by: provider)
        default: countSeries(event)
        }
    }

    private func countSeries(_ event: DomainEvent) {
        guard let (series, amount) = Series.counting(event), let index = indices[series] else { return }
        counters.add(amount, to: index)
    }

    func write(to text: inout Exposition) {
        logins.write(to: &text)
        for metric in Series.Metric.allCases {
            text.begin(metric.family)
            for (index, series) in Series.all.enumerated() where series.metric == metric {
                text.sample(counters[index], zip(metric.labels, series.values).map { ($0, $1) })
            }
        }
    }
}

/// A metric of the domain with the values of its labels: one line of the exposition.
struct Series: Hashable, Sendable {
    enum Metric: CaseIterable {
        case refreshes, repeatsElsewhere, sessionsElsewhere, repeatedOften, reuse, sessionsEnded
        case refusedProofs, appleNotifications, securityEvents, appleTasks, unknownRoles, twoUsers
        case codesSent, codesUsed, codesRefused, codesWrong, messagesFailed, ownerNotices
        case webSignIns
    }

    let metric: Metric
    /// The values of the metric's labels, in the order of `Metric.labels`.
    let values: [String]

    init(_ metric: Metric, _ values: String...) {
        self.metric = metric
        self.values = values
    }

    /// The series in which an event is counted, and the amount; nil if it is not counted.
    static func counting(_ event: DomainEvent) -> (Series, Int)? {
        switch event {
        case .storeFailureTolerated, .loggedIn, .loginRefused, .webSignInRefused, .redirectURIRefused: nil
        case .identityOfTwoUsers: (Series(.twoUsers), 1)
        case .refreshed(let isRepeat): (Series(.refreshes, isRepeat ? repeated : rotated), 1)
        case .refreshRefused(let refusal): (Series(.refreshes, refusal.label), 1)
        case .refreshRepeatedElsewhere: (Series(.repeatsElsewhere), 1)
        case .sessionRepeatedElsewhere: (Series(.sessionsElsewhere), 1)
        case .refreshRepeatedOften: (Series(.repeatedOften), 1)
        case .refreshTokenReused: (Series(.reuse), 1)
        case .proofRefused(let fault): (Series(.refusedProofs, fault.rawValue), 1)
        case .sessionKeyMismatch: nil
        case .sessionsEnded(let reason, let count): (Series(.sessionsEnded, reason.rawValue), count)
        case .unknownRoleDemanded, .unknownMaximumAgeDemanded: (Series(.unknownRoles), 1)
        case .appleNotificationApplied(let kind): (Series(.appleNotifications, kind.rawValue), 1)
        case .securityEventApplied(let kind): (Series(.securityEvents, kind.rawValue), 1)
        case .codeSent(let channel): (Series(.codesSent, channel.rawValue), 1)
        case .codeUsed(let channel): (Series(.codesUsed, channel.rawValue), 1)
        case .codeRefused(let channel, let scope): (Series(.codesRefused, channel.rawValue, scope.rawValue), 1)
        case .wrongCode: (Series(.codesWrong), 1)
        case .messageNotDelivered(let channel, let fault):
            (Series(.messagesFailed, channel.rawValue, fault.label), 1)
        case .ownerNotice(let notice, let outcome):
            (Series(.ownerNotices, notice.rawValue, outcome.rawValue), 1)
        case .webSignIn(let step): (Series(.webSignIns, step.rawValue), 1)
        case .appleTaskDone(let kind): (Series(.appleTasks, kind.rawValue, done), 1)
        case .appleTaskFailed(let kind, let fault, _): (Series(.appleTasks, kind.rawValue, fault.label), 1)
        }
    }

    private static let (rotated, repeated) = ("rotated", "repeated")
    private static let done = "done"

    /// All series. Their number does not depend on what clients send.
    static let all: [Series] =
        ([rotated, repeated] + Refusal.ofRefreshes.map(\.label)).map { Series(.refreshes, $0) }
        + [
            Series(.repeatsElsewhere), Series(.sessionsElsewhere), Series(.repeatedOften), Series(.reuse),
            Series(.unknownRoles), Series(.twoUsers), Series(.codesWrong),
        ]
        + CodeChannel.allCases.flatMap { channel in
            [Series(.codesSent, channel.rawValue), Series(.codesUsed, channel.rawValue)]
                + CodeScope.allCases.map { Series(.codesRefused, channel.rawValue, $0.rawValue) }
                + DeliveryFault.all.map { Series(.messagesFailed, channel.rawValue, $0.label) }
        }
        + OutgoingMessage.Notice.allCases.flatMap { notice in
            NoticeOutcome.allCases.map { Series(.ownerNotices, notice.rawValue, $0.rawValue) }
        }
        + WebSignInStep.allCases.map { Series(.webSignIns, $0.rawValue) }
        + RevokeReason.allCases.map { Series(.sessionsEnded, $0.rawValue) }
        + DPoPFault.allCases.map { Series(.refusedProofs, $0.rawValue) }
        + AppleNotification.Kind.allCases.map { Series(.appleNotifications, $0.rawValue) }
        + SecurityEvents.Kind.allCases.map { Series(.securityEvents, $0.rawValue) }
        + AppleTask.Kind.allCases.flatMap { kind in
            ([done] + AppleServerFault.all.map(\.label)).map { Series(.appleTasks, kind.rawValue, $0) }
        }
}

extension Series.Metric {
    /// The description of the metric in the exposition.
    var family: Family {
        switch self {
        case .refreshes: Family("gatehouse_refreshes_total", .counter, "Refreshes, by result.")
        case .repeatsElsewhere:
            Family(
                "gatehouse_refresh_repeats_elsewhere_total", .counter,
                "Refreshes repeated from another device than the one that rotated the token.")
        case .sessionsElsewhere:
            Family(
                "gatehouse_sessions_repeated_elsewhere_total", .counter,
                "Sessions of which three refreshes were repeated from another device than the one that rotated the token."
            )
        case .repeatedOften:
            Family(
                "gatehouse_refresh_repeated_often_total", .counter,
                "Refreshes that were repeated for the third time in a row.")
        case .reuse:
            Family(
                "gatehouse_refresh_token_reuse_total", .counter,
                "Sessions ended because an old refresh token was used again.")
        case .sessionsEnded:
            Family(
                "gatehouse_sessions_ended_total", .counter,
                "Sessions that this process ended before they expired, by reason.")
        case .refusedProofs:
            Family(
                "gatehouse_dpop_proofs_refused_total", .counter,
                "Requests refused because the proof of a bound session, or of a login, was missing or wrong, by reason."
            )
        case .appleNotifications:
            Family(
                "gatehouse_apple_notifications_total", .counter,
                "Notifications from Apple's servers, by kind.")
        case .securityEvents:
            Family(
                "gatehouse_security_events_total", .counter,
                "Events from the servers of providers other than Apple, by kind.")
        case .appleTasks:
            Family(
                "gatehouse_apple_tasks_total", .counter,
                "Codes exchanged and tokens revoked at Apple, by kind and result.")
        case .codesSent: Family("gatehouse_codes_sent_total", .counter, "Messages with codes, by channel.")
        case .codesUsed:
            Family(
                "gatehouse_codes_used_total", .counter,
                "Codes with which a user has signed in or bound an address, by channel.")
        case .codesRefused:
            Family(
                "gatehouse_codes_refused_total", .counter,
                "Requests for codes that a limit refused, by channel and by what the limit counts.")
        case .codesWrong:
            Family(
                "gatehouse_codes_wrong_total", .counter,
                "Tries of codes that were wrong, used, expired or tried too often.")
        case .messagesFailed:
            Family(
                "gatehouse_messages_failed_total", .counter,
                "Messages that the gateway or the mail server did not accept, by channel and cause.")
        case .webSignIns:
            Family(
                "gatehouse_web_sign_ins_total", .counter,
                "Steps of sign-ins through a browser: begun, proven by the provider, cancelled, failed, exchanged, exchange_refused."
            )
        case .ownerNotices:
            Family(
                "gatehouse_owner_notices_total", .counter,
                "Attempts to tell users of a change of their account, by what it was and what came of it.")
        case .twoUsers:
            Family(
                "gatehouse_identities_of_two_users_total", .counter,
                "Logins refused because the provider's two ids of the person belong to two users.")
        case .unknownRoles:
            Family(
                "gatehouse_guard_unknown_role_total", .counter,
                "Guarded requests refused because nginx demands a role or a maximum age that does not exist.")
        }
    }

    var labels: [String] {
        switch self {
        case .refreshes: ["result"]
        case .sessionsEnded, .refusedProofs: ["reason"]
        case .appleNotifications, .securityEvents: ["kind"]
        case .webSignIns: ["step"]
        case .appleTasks: ["kind", "result"]
        case .codesSent, .codesUsed: ["channel"]
        case .codesRefused: ["channel", "limit"]
        case .messagesFailed: ["channel", "cause"]
        case .ownerNotices: ["notice", "outcome"]
        case .repeatsElsewhere, .sessionsElsewhere, .repeatedOften, .reuse, .unknownRoles, .twoUsers, .codesWrong: []
        }
    }
}

extension Refusal {
    /// The refusals of refreshes whose series exist from the start.
    fileprivate static let ofRefreshes: [Refusal] = [
        .invalidRefreshToken, .refreshTokenExpired, .refreshTokenRevoked, .refreshTokenReused, .userDisabled,
        .invalidProof(.missing), .storageUnavailable(StoreFailure("")), .notFound,
    ]
}

extension AppleServerFault {
    /// One fault of each kind.
    static let all: [AppleServerFault] = [.grantRefused, .credentialsRefused(""), .unavailable("")]
}
