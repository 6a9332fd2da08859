import Gatehouse

extension Refusal {
    /// A word out of a few: labels must not grow with what clients send.
    var metricLabel: String {
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
        case .loginTooOld: "login_too_old"
        default: "refused"
        }
    }

    static func ofLogins(by provider: Provider) -> [Refusal] {
        let any: [Refusal] = [.userDisabled, .storageUnavailable, .notFound]
        switch provider {
        case .dev: return [.invalidDevSecret] + any
        case .apple: return AppleTokenFault.allCases.map(Refusal.appleToken) + [.appleKeysUnavailable] + any
        }
    }

    static let ofRefreshes: [Refusal] = [
        .invalidRefreshToken, .refreshTokenExpired, .refreshTokenRevoked, .refreshTokenReused, .userDisabled,
        .storageUnavailable, .notFound,
    ]
}

extension AppleServerFault {
    var metricLabel: String {
        switch self {
        case .grantRefused: "grant_refused"
        case .credentialsRefused: "credentials_refused"
        case .unavailable: "unavailable"
        }
    }

    /// One of each.
    static let all: [AppleServerFault] = [.grantRefused, .credentialsRefused(""), .unavailable("")]
}
