package import Gatehouse

extension Router {
    /// All endpoints of Gatehouse.
    ///
    /// - Parameters:
    ///   - keySet: the public keys; nil when none can be published.
    ///   - openAPI: the description of these endpoints.
    ///   - operations: what the endpoints for monitoring report.
    package convenience init(
        _ auth: AuthService, keySet: PublishedDocument?, openAPI: PublishedDocument, operations: Operations
    ) {
        self.init([
            AppleLoginEndpoint(auth: auth),
            AppleChallengeEndpoint(auth: auth),
            AppleNotificationEndpoint(auth: auth),
            DevLoginEndpoint(auth: auth),
            RefreshEndpoint(auth: auth),
            LogoutEndpoint(auth: auth),
            LogoutEverywhereEndpoint(auth: auth),
            VerifyEndpoint(auth: auth),
            CurrentUserEndpoint(auth: auth),
            UpdateUserEndpoint(auth: auth),
            DeleteUserEndpoint(auth: auth),
            ExportEndpoint(auth: auth),
            AccountsEndpoint(auth: auth),
            LinkAppleEndpoint(auth: auth),
            UnlinkAppleEndpoint(auth: auth),
            SessionsEndpoint(auth: auth),
            EndSessionEndpoint(auth: auth),
            MetricsEndpoint(operations: operations),
            HealthEndpoint(operations: operations),
            ReadinessEndpoint(operations: operations),
            KeySetEndpoint(keySet: keySet),
            OpenAPIEndpoint(document: openAPI),
        ])
    }
}
