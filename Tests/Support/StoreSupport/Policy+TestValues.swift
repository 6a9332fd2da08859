package import Gatehouse

extension Policy {
    package static func ofTests(
        accessTokenLifetime: Duration = .seconds(900), refresh: RefreshPolicy = .ofTests(),
        devSecretHash: [UInt8]? = nil, dpop: DPoPPolicy = DPoPPolicy()
    ) -> Policy {
        Policy(
            accessTokenLifetime: accessTokenLifetime, refresh: refresh, devSecretHash: devSecretHash,
            defaultClientID: "app", auditRetention: .seconds(90 * 86_400), sensitiveMaxAge: nil, sessionsPerUser: 100,
            apple: ApplePolicy(onConsentRevoked: .unlink),
            dpop: dpop)
    }
}

extension RefreshPolicy {
    package static func ofTests(
        tokenLifetime: Duration = .seconds(30 * 86_400), sessionMaximumAge: Duration = .seconds(365 * 86_400),
        reuseGrace: Duration = .seconds(30)
    ) -> RefreshPolicy {
        RefreshPolicy(tokenLifetime: tokenLifetime, sessionMaximumAge: sessionMaximumAge, reuseGrace: reuseGrace)
    }
}
