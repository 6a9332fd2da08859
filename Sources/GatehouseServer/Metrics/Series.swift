import Gatehouse

/// One line of the metrics: a metric with its labels.
struct Series: Hashable {
    let family: Family
    let labels: String

    private init(_ family: Family, _ labels: KeyValuePairs<String, String> = [:]) {
        self.family = family
        let pairs = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
        self.labels = pairs.isEmpty ? "" : "{\(pairs)}"
    }

    /// Which line an occurrence counts in, and how much.
    static func counting(_ occurrence: Occurrence) -> (Series, Int) {
        switch occurrence {
        case .signedIn(let provider, let isNewUser):
            (login(provider, isNewUser ? "new_user" : "known_user"), 1)
        case .loginRefused(let provider, let refusal): (login(provider, refusal.metricLabel), 1)
        case .refreshed(let again): (Series(.refreshes, ["result": again ? "repeated" : "rotated"]), 1)
        case .refreshRefused(let refusal): (Series(.refreshes, ["result": refusal.metricLabel]), 1)
        case .refreshTokenReused: (Series(.reuse), 1)
        case .sessionsEnded(let reason, let count): (Series(.sessionsEnded, ["reason": reason.rawValue]), count)
        case .unknownRoleDemanded: (Series(.misspeltRoles), 1)
        case .appleNotified(let kind): (Series(.appleNotifications, ["kind": kind.rawValue]), 1)
        case .appleTaskDone(let kind): (Series(.appleTasks, ["kind": kind.rawValue, "result": "done"]), 1)
        case .appleTaskFailed(let kind, let fault):
            (Series(.appleTasks, ["kind": kind.rawValue, "result": fault.metricLabel]), 1)
        }
    }

    private static func login(_ provider: Provider, _ result: String) -> Series {
        Series(.logins, ["provider": provider.rawValue.lowercased(), "result": result])
    }
}

extension Refusal {
    /// A word out of a few: labels must not grow with what clients send.
    fileprivate var metricLabel: String {
        switch self {
        case .appleToken(let fault): fault.rawValue
        case .appleKeysUnavailable: "apple_keys_unavailable"
        case .storageUnavailable: "storage_unavailable"
        case .userDisabled: "user_disabled"
        case .invalidDevSecret: "dev_secret"
        case .invalidRefreshToken: "unknown_token"
        case .refreshTokenExpired: "expired_token"
        case .refreshTokenRevoked: "revoked_token"
        case .refreshTokenReused: "reused_token"
        default: "refused"
        }
    }
}

extension AppleServerFault {
    fileprivate var metricLabel: String {
        switch self {
        case .grantRefused: "grant_refused"
        case .credentialsRefused: "credentials_refused"
        case .unavailable: "unavailable"
        }
    }
}
