import Gatehouse

/// One line of what the domain tells: a metric with the values of its labels.
struct Series: Hashable, Sendable {
    enum Family: CaseIterable {
        case logins, refreshes, repeatsElsewhere, reuse, sessionsEnded, appleNotifications, appleTasks, misspeltRoles
    }

    let family: Family
    let values: [String]

    init(_ family: Family, _ values: String...) {
        self.family = family
        self.values = values
    }

    /// Which line an occurrence counts in, and how much; nil where nobody counts it.
    static func counting(_ occurrence: Occurrence) -> (Series, Int)? {
        switch occurrence {
        case .recognised: nil
        case .signedIn(let provider, let isNewUser):
            (login(provider, isNewUser ? newUser : knownUser), 1)
        case .loginRefused(let provider, let refusal): (login(provider, refusal.metricLabel), 1)
        case .refreshed(let again): (Series(.refreshes, again ? repeated : rotated), 1)
        case .refreshRefused(let refusal): (Series(.refreshes, refusal.metricLabel), 1)
        case .refreshRepeatedElsewhere: (Series(.repeatsElsewhere), 1)
        case .refreshTokenReused: (Series(.reuse), 1)
        case .sessionsEnded(let reason, let count): (Series(.sessionsEnded, reason.rawValue), count)
        case .unknownRoleDemanded: (Series(.misspeltRoles), 1)
        case .appleNotified(let kind): (Series(.appleNotifications, kind.rawValue), 1)
        case .appleTaskDone(let kind): (Series(.appleTasks, kind.rawValue, done), 1)
        case .appleTaskFailed(let kind, let fault, _): (Series(.appleTasks, kind.rawValue, fault.metricLabel), 1)
        }
    }

    private static let (newUser, knownUser) = ("new_user", "known_user")
    private static let (rotated, repeated) = ("rotated", "repeated")
    private static let done = "done"

    private static func login(_ provider: Provider, _ result: String) -> Series {
        Series(.logins, provider.rawValue.lowercased(), result)
    }

    /// Every line there can be: how many there are does not depend on what clients send.
    static let all: [Series] =
        loginResults.map { login($0, $1) }
        + ([rotated, repeated] + Refusal.ofRefreshes.map(\.metricLabel)).map { Series(.refreshes, $0) }
        + [Series(.repeatsElsewhere), Series(.reuse), Series(.misspeltRoles)]
        + RevokeReason.allCases.map { Series(.sessionsEnded, $0.rawValue) }
        + AppleNotification.Kind.allCases.map { Series(.appleNotifications, $0.rawValue) }
        + AppleTask.Kind.allCases.flatMap { kind in
            ([done] + AppleServerFault.all.map(\.metricLabel)).map { Series(.appleTasks, kind.rawValue, $0) }
        }

    private static var loginResults: [(Provider, String)] {
        Provider.allCases.flatMap { provider in
            ([newUser, knownUser] + Refusal.ofLogins(by: provider).map(\.metricLabel)).map { (provider, $0) }
        }
    }
}

extension Series.Family {
    var described: Family {
        switch self {
        case .logins: Family("gatehouse_logins_total", .counter, "Logins by provider and result.")
        case .refreshes: Family("gatehouse_refreshes_total", .counter, "Refreshes by result.")
        case .repeatsElsewhere:
            Family(
                "gatehouse_refresh_repeats_elsewhere_total", .counter,
                "Refreshes repeated within the grace by another device than the one that rotated the token.")
        case .reuse:
            Family(
                "gatehouse_refresh_token_reuse_total", .counter,
                "Sessions ended because an old refresh token was used again.")
        case .sessionsEnded:
            Family(
                "gatehouse_sessions_ended_total", .counter,
                "Sessions ended before their time by this process, by reason.")
        case .appleNotifications:
            Family(
                "gatehouse_apple_notifications_total", .counter,
                "Notifications from Apple's servers that were acted on, by kind.")
        case .appleTasks:
            Family(
                "gatehouse_apple_tasks_total", .counter,
                "Codes exchanged and tokens revoked at Apple, by kind and result.")
        case .misspeltRoles:
            Family(
                "gatehouse_guard_unknown_role_total", .counter,
                "Guarded requests refused because nginx demands a role that does not exist.")
        }
    }

    var labels: [String] {
        switch self {
        case .logins: ["provider", "result"]
        case .refreshes: ["result"]
        case .sessionsEnded: ["reason"]
        case .appleNotifications: ["kind"]
        case .appleTasks: ["kind", "result"]
        case .repeatsElsewhere, .reuse, .misspeltRoles: []
        }
    }
}
