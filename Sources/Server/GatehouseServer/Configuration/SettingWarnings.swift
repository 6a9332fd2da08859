import Gatehouse

/// Warnings about values that are allowed but make little sense, alone or together.
struct SettingWarnings {
    private static let (minute, hour, week) = (
        Duration.seconds(60), Duration.seconds(3600), Duration.seconds(7 * 86_400)
    )

    private let policy: Policy
    private let table = Settings.table

    static func about(_ policy: Policy) -> [String] {
        let warnings = SettingWarnings(policy: policy)
        return (warnings.tokenLifetimes + [warnings.reuseGrace] + warnings.sensitiveMaxAge + [warnings.auditRetention])
            .compactMap { $0 }
    }

    private var tokenLifetimes: [String?] {
        let (refresh, access) = (policy.refresh, policy.accessTokenLifetime)
        return [
            warning(
                of: table.accessTokenLifetime, if: access < Self.minute,
                "is \(access.setting): apps refresh before nearly every request"),
            warning(
                of: table.refreshTokenLifetime, if: refresh.tokenLifetime < Self.hour,
                "is \(refresh.tokenLifetime.setting): users sign in again after each pause of that length"),
            warning(
                of: table.refreshTokenLifetime, if: refresh.tokenLifetime <= access,
                "(\(refresh.tokenLifetime.setting)) is not longer than \(table.accessTokenLifetime.name) (\(access.setting)): a "
                    + "session ends before its access token has to be refreshed"),
            warning(
                of: table.sessionMaximumAge, if: refresh.sessionMaximumAge < refresh.tokenLifetime,
                "(\(refresh.sessionMaximumAge.setting)) is shorter than \(table.refreshTokenLifetime.name) "
                    + "(\(refresh.tokenLifetime.setting)): sessions end earlier than the latter says"),
        ]
    }

    private var reuseGrace: String? {
        let grace = policy.refresh.reuseGrace
        return warning(
            of: table.reuseGrace, if: grace > min(policy.accessTokenLifetime, policy.refresh.tokenLifetime),
            "(\(grace.setting)) is longer than the lifetime of a token: the theft of a refresh token is noticed late or "
                + "never")
    }

    private var sensitiveMaxAge: [String?] {
        guard let age = policy.sensitiveMaxAge else { return [] }
        return [
            warning(
                of: table.sensitiveMaxAge, if: age < Self.minute,
                "is \(age.setting): hardly any login is recent enough; 0 demands no recent login, 10m is usual"),
            warning(
                of: table.sensitiveMaxAge, if: age >= policy.refresh.sessionMaximumAge,
                "(\(age.setting)) is not shorter than \(table.sessionMaximumAge.name): it has no effect"),
        ]
    }

    private var auditRetention: String? {
        warning(
            of: table.auditRetention, if: policy.auditRetention < Self.week,
            "is \(policy.auditRetention.setting): the records of an incident may be deleted before an operator looks for "
                + "them")
    }

    /// Nil if the value makes sense.
    private func warning(
        of row: some SettingRow, if isDoubtful: Bool, _ message: @autoclosure () -> String
    ) -> String? {
        guard isDoubtful else { return nil }
        let text = "\(row.name) \(message())"
        guard case .text(let standard) = row.defaultValue, standard != "0" else { return text }
        return "\(text); the default is \(standard)"
    }
}
