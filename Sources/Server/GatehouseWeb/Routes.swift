package import Gatehouse

extension Router {
    /// All endpoints of Gatehouse.
    ///
    /// - Parameters:
    ///   - documents: what is published.
    ///   - operations: what the endpoints for monitoring report.
    package convenience init(_ auth: AuthService, documents: PublishedDocuments, operations: Operations) {
        let endpoints: [any Endpoint] = [
            // The most frequent ones first: a path is compared with one after the other.
            VerifyEndpoint(auth: auth),
            CurrentUserEndpoint(auth: auth),
            UserForServicesEndpoint(auth: auth),
            IntrospectionEndpoint(auth: auth),
            RefreshEndpoint(auth: auth),
            UsersForServicesEndpoint(auth: auth),
            AppleLoginEndpoint(auth: auth),
            IdentityLoginEndpoint(auth: auth),
            SendCodeEndpoint(auth: auth),
            CodeLoginEndpoint(auth: auth),
            ChallengeEndpoint(path: "/api/auth/challenge", auth: auth),
            ChallengeEndpoint(path: "/api/auth/apple/challenge", auth: auth),
            AppleNotificationEndpoint(auth: auth),
            SecurityEventsEndpoint(auth: auth),
            DevLoginEndpoint(auth: auth),
            LogoutEndpoint(auth: auth),
            LogoutEverywhereEndpoint(auth: auth),
            RevokeEndpoint(auth: auth),
            StartWebSignInEndpoint(auth: auth),
            FinishWebSignInEndpoint(method: .get, auth: auth),
            FinishWebSignInEndpoint(method: .post, auth: auth),
            ExchangeEndpoint(auth: auth),
            WaysEndpoint(auth: auth),
            UpdateUserEndpoint(auth: auth),
            DeleteUserEndpoint(auth: auth),
            ExportEndpoint(auth: auth),
            AccountsEndpoint(auth: auth),
            LinkAccountEndpoint(auth: auth),
            UnlinkAccountEndpoint(auth: auth),
            SessionsEndpoint(auth: auth),
            EndSessionEndpoint(auth: auth),
            MetricsEndpoint(operations: operations),
            HealthEndpoint(operations: operations),
            ReadinessEndpoint(operations: operations),
        ]
        let proofNonce: (@Sendable () -> String)? = if auth.requiresProofNonce { { auth.proofNonce() } } else { nil }
        self.init(endpoints + documents.endpoints, proofNonce: proofNonce, corsOrigins: auth.web.corsOrigins)
    }
}
