package import Gatehouse

extension Router {
    /// Everything that Gatehouse answers.
    ///
    /// - Parameters:
    ///   - keySet: Nil where no key can be published: then there is nothing at its path.
    ///   - metrics: writes what has been counted so far.
    package convenience init(
        _ gatekeeper: Gatekeeper, keySet: PublishedDocument?,
        health: @escaping @Sendable () throws(StoreFailure) -> Void,
        readiness: @escaping @Sendable () -> Readiness, metrics: @escaping @Sendable () -> [UInt8]
    ) {
        let endpoints: [any Endpoint] = [
            AppleLoginEndpoint(gatekeeper: gatekeeper),
            AppleChallengeEndpoint(gatekeeper: gatekeeper),
            AppleNotificationEndpoint(gatekeeper: gatekeeper),
            DevLoginEndpoint(gatekeeper: gatekeeper),
            RefreshEndpoint(gatekeeper: gatekeeper),
            LogoutEndpoint(gatekeeper: gatekeeper),
            LogoutEverywhereEndpoint(gatekeeper: gatekeeper),
            VerifyEndpoint(gatekeeper: gatekeeper),
            CurrentUserEndpoint(gatekeeper: gatekeeper),
            UpdateUserEndpoint(gatekeeper: gatekeeper),
            DeleteUserEndpoint(gatekeeper: gatekeeper),
            ExportEndpoint(gatekeeper: gatekeeper),
            AccountsEndpoint(gatekeeper: gatekeeper),
            LinkAppleEndpoint(gatekeeper: gatekeeper),
            UnlinkAppleEndpoint(gatekeeper: gatekeeper),
            SessionsEndpoint(gatekeeper: gatekeeper),
            EndSessionEndpoint(gatekeeper: gatekeeper),
            MetricsEndpoint(write: metrics),
            HealthEndpoint(check: health),
            ReadinessEndpoint(readiness: readiness),
            KeySetEndpoint(keySet: keySet),
        ]
        self.init(endpoints)
    }
}
