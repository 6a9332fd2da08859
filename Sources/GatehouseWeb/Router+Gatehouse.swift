package import Gatehouse

extension Router {
    /// Everything that Gatehouse answers.
    package init(_ gatekeeper: Gatekeeper) {
        self.init([
            AppleLoginEndpoint(gatekeeper: gatekeeper),
            DevLoginEndpoint(gatekeeper: gatekeeper),
            RefreshEndpoint(gatekeeper: gatekeeper),
            LogoutEndpoint(gatekeeper: gatekeeper),
            VerifyEndpoint(gatekeeper: gatekeeper),
            CurrentUserEndpoint(gatekeeper: gatekeeper),
        ])
    }
}
