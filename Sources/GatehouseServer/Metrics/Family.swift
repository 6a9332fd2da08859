/// A metric, whatever its labels.
enum Family: String, CaseIterable {
    case logins = "gatehouse_logins_total"
    case refreshes = "gatehouse_refreshes_total"
    case reuse = "gatehouse_refresh_token_reuse_total"
    case sessionsEnded = "gatehouse_sessions_ended_total"
    case appleNotifications = "gatehouse_apple_notifications_total"
    case appleTasks = "gatehouse_apple_tasks_total"
    case misspeltRoles = "gatehouse_guard_unknown_role_total"

    var help: String {
        switch self {
        case .logins: "Logins by provider and result."
        case .refreshes: "Refreshes by result."
        case .reuse: "Sessions ended because an old refresh token was used again."
        case .appleNotifications: "Notifications from Apple's servers that were acted on, by kind."
        case .appleTasks: "Codes exchanged and tokens revoked at Apple, by kind and result."
        case .misspeltRoles: "Guarded requests refused because nginx demands a role that does not exist."
        case .sessionsEnded: "Sessions ended before their time by this process, by reason."
        }
    }

    var isWithoutLabels: Bool { self == .reuse || self == .misspeltRoles }
}
