package import Gatehouse

extension Router {
    /// Everything that Gatehouse answers.
    ///
    /// - Parameter metrics: writes what has been counted so far.
    package init(_ gatekeeper: Gatekeeper, metrics: @escaping @Sendable () -> String) {
        self.init([
            AppleLoginEndpoint(gatekeeper: gatekeeper),
            DevLoginEndpoint(gatekeeper: gatekeeper),
            RefreshEndpoint(gatekeeper: gatekeeper),
            LogoutEndpoint(gatekeeper: gatekeeper),
            LogoutEverywhereEndpoint(gatekeeper: gatekeeper),
            VerifyEndpoint(gatekeeper: gatekeeper),
            CurrentUserEndpoint(gatekeeper: gatekeeper),
            UpdateUserEndpoint(gatekeeper: gatekeeper),
            DeleteUserEndpoint(gatekeeper: gatekeeper),
            SessionsEndpoint(gatekeeper: gatekeeper),
            EndSessionEndpoint(gatekeeper: gatekeeper),
            MetricsEndpoint(write: metrics),
        ])
    }
}
