import Gatehouse

/// Values that are allowed one by one and make little sense, alone or beside each other.
enum SettingDoubts {
    static func about(_ policy: Policy) -> [String] {
        let (refresh, access) = (policy.refresh, policy.accessTokenLifetime)
        let (minute, hour, week) = (Duration.seconds(60), Duration.seconds(3600), Duration.seconds(7 * 86_400))
        var doubts: [String] = []
        func doubt(_ isDoubtful: Bool, _ message: @autoclosure () -> String) {
            if isDoubtful { doubts.append(message()) }
        }
        doubt(
            access < minute,
            "ACCESS_TOKEN_TTL is \(access.setting): apps refresh before nearly every request; the default is 15m")
        doubt(
            refresh.tokenLifetime < hour,
            "REFRESH_TOKEN_TTL is \(refresh.tokenLifetime.setting): users sign in again after each pause of that length; "
                + "the default is 30d")
        doubt(
            refresh.tokenLifetime <= access,
            "REFRESH_TOKEN_TTL (\(refresh.tokenLifetime.setting)) is not longer than ACCESS_TOKEN_TTL (\(access.setting)): "
                + "a session ends before its access token has to be refreshed")
        doubt(
            refresh.sessionMaximumAge < refresh.tokenLifetime,
            "SESSION_MAX_AGE (\(refresh.sessionMaximumAge.setting)) is shorter than REFRESH_TOKEN_TTL "
                + "(\(refresh.tokenLifetime.setting)): sessions end earlier than the latter says")
        doubt(
            refresh.reuseGrace > min(access, refresh.tokenLifetime),
            "REFRESH_REUSE_GRACE (\(refresh.reuseGrace.setting)) is longer than a token lives: the theft of a refresh token "
                + "is noticed late or never; the default is 30s")
        if let age = policy.sensitiveMaxAge {
            doubt(
                age < minute,
                "SENSITIVE_MAX_AGE is \(age.setting): hardly any login is recent enough; 0 demands none, 10m is usual")
            doubt(
                age >= refresh.sessionMaximumAge,
                "SENSITIVE_MAX_AGE (\(age.setting)) is not shorter than SESSION_MAX_AGE: it demands nothing")
        }
        doubt(
            policy.auditRetention < week,
            "AUDIT_RETENTION is \(policy.auditRetention.setting): what an incident left in the audit trail is deleted "
                + "before it is looked for; the default is 90d")
        return doubts
    }
}
