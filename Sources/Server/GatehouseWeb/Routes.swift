package import Gatehouse

/// The endpoints, each a method in the file of its subject. Who may call them is in the table of routes.
struct Endpoints: Sendable {
    let auth: AuthService
    let outside: OutsideStates
}

extension Router {
    /// All endpoints of Gatehouse, and who may call them: a test compares this table with `openapi.json`.
    ///
    /// - Parameters:
    ///   - documents: what is published.
    ///   - operations: what the endpoints for monitoring report.
    ///   - outside: what is known of providers and gateways.
    package convenience init(
        _ auth: AuthService, documents: PublishedDocuments, operations: Operations,
        outside: OutsideStates = OutsideStates()
    ) {
        let api = Endpoints(auth: auth, outside: outside)
        let guarding = Route.Options(isRoutine: true, answersAnyRequest: true, problemResponse: api.guardResponse)
        let toBrowser = Route.Options(problemResponse: api.browserResponse)
        let asOAuth = Route.Options(problemResponse: api.exchangeResponse)
        let routine = Route.Options(isRoutine: true)
        let routes: [Route] = [
            // The most frequent ones first: a path is compared with one after the other.
            Route(.get, "/api/auth/verify", caller: .guarded, api.verify, guarding),
            Route(.get, "/api/users/me", caller: .authenticated(.notRequired), api.currentUser),
            Route(.get, "/users/{id}", access: .service, api.user, routine),
            Route(
                .put, "/users/{id}/attributes", access: .service, body: .json(AttributesBody.self), api.setAttributes),
            Route(.post, "/introspect", access: .service, body: .form, api.introspect, routine),
            Route(.post, "/api/auth/refresh", access: .open, body: .optionalJSON(RefreshBody.self), api.refresh),
            Route(.get, "/users", access: .service, api.users, routine),

            Route(.post, "/api/auth/apple", access: .open, body: .json(AppleLoginBody.self), api.logInWithApple),
            Route(.post, "/api/auth/identity", access: .open, body: .json(IdentityLoginBody.self), api.logIn),
            Route(.post, "/api/auth/guest", access: .open, body: .optionalJSON(GuestBody.self), api.logInAsGuest),
            Route(.post, "/api/auth/codes", access: .open, body: .json(CodeRequestBody.self), api.sendCode),
            Route(.post, "/api/auth/codes/{id}", access: .open, body: .json(CodeLoginBody.self), api.logInByCode),
            Route(.post, "/api/auth/number", access: .open, body: .json(NumberLoginBody.self), api.logInByNumber),
            Route(.post, "/api/auth/challenge", access: .open, api.challenge),
            // It had Apple's path first.
            Route(.post, "/api/auth/apple/challenge", access: .open, api.challenge),
            Route(
                .post, "/api/auth/apple/notifications", access: .open, body: .json(AppleNotificationBody.self),
                api.receiveAppleNotification),
            Route(.post, "/api/auth/{provider}/events", access: .open, api.receiveSecurityEvents),
            Route(
                .post, "/api/auth/dev-login", access: .developer, body: .json(DevLoginBody.self), api.logInByDevSecret),
            Route(.post, "/api/auth/passkey/options", access: .open, api.passkeyLoginOptions),
            Route(.post, "/api/auth/passkey", access: .open, body: .json(PasskeyLoginBody.self), api.logInByPasskey),
            Route(
                .post, "/api/auth/passkey/signup/options", access: .open, body: .optionalJSON(PasskeyProfileBody.self),
                api.passkeySignUpOptions),
            Route(
                .post, "/api/auth/passkey/signup", access: .open, body: .json(PasskeySignUpBody.self),
                api.signUpByPasskey),
            Route(
                .post, "/api/auth/logout", access: .ending(.accessOrRefresh), body: .optionalJSON(LogoutBody.self),
                api.logOut),
            Route(.post, "/api/auth/logout-all", access: .ending(.access), api.logOutEverywhere),
            Route(.post, "/api/auth/revoke", access: .open, body: .form, api.revoke),
            Route(.get, "/api/auth/{provider}/start", access: .open, api.startWebSignIn, toBrowser),
            Route(.get, "/api/auth/{provider}/callback", access: .open, api.finishWebSignIn, toBrowser),
            Route(
                .post, "/api/auth/{provider}/callback", access: .open, body: .optionalForm, api.finishPostedWebSignIn,
                toBrowser),
            Route(.post, "/api/auth/exchange", access: .open, body: .exchange, api.exchange, asOAuth),
            Route(.get, "/api/auth/ways", access: .open, api.ways),

            Route(.patch, "/api/users/me", caller: .change(), body: .json(ProfileBody.self), api.updateUser),
            Route(
                .delete, "/api/users/me", caller: .recentChange(.notRequired), body: .optionalJSON(DeletionBody.self),
                api.deleteUser),
            Route(.get, "/api/users/me/export", caller: .change(), api.export),
            Route(.get, "/api/users/me/accounts", caller: .authenticated(), api.accounts),
            Route(
                .post, "/api/users/me/accounts/{provider}", caller: .recentChange(.notRequiredToBindOne), body: .link,
                api.linkAccount),
            Route(
                .delete, "/api/users/me/accounts/{provider}", caller: .recentChange(),
                body: .optionalJSON(RepeatedLogin.self), api.unlinkAccount),
            Route(.get, "/api/users/me/passkeys", caller: .authenticated(), api.passkeys),
            Route(.post, "/api/users/me/passkeys/options", caller: .recentChange(), api.passkeyRegistrationOptions),
            Route(
                .post, "/api/users/me/passkeys", caller: .recentChange(), body: .json(PasskeyRegistrationBody.self),
                api.addPasskey),
            Route(
                .patch, "/api/users/me/passkeys/{id}", caller: .change(), body: .json(PasskeyNameBody.self),
                api.renamePasskey),
            Route(.delete, "/api/users/me/passkeys/{id}", caller: .recentChange(), api.removePasskey),
            Route(.get, "/api/users/me/sessions", caller: .change(), api.sessions),
            Route(.delete, "/api/users/me/sessions/{id}", caller: .endingSession, api.endSession),

            // For administrators.
            .support(.get, "/api/admin/self", api.administrator),
            .support(.get, "/api/admin/users", api.findUsers),
            .support(.get, "/api/admin/users/{id}", api.dossier),
            .support(.delete, "/api/admin/users/{id}", body: .optionalJSON(ActBody.self), api.delete),
            .support(.post, "/api/admin/users/{id}/disable", body: .optionalJSON(ActBody.self), api.disable),
            .support(.post, "/api/admin/users/{id}/enable", body: .optionalJSON(ActBody.self), api.enable),
            .support(.post, "/api/admin/users/{id}/sign-out", body: .optionalJSON(ActBody.self), api.signOut),
            .support(.put, "/api/admin/users/{id}/role", body: .json(RoleBody.self), api.giveRole),
            .support(.post, "/api/admin/users/{id}/merge", body: .json(MergeBody.self), api.merge),
            .support(.post, "/api/admin/users/{id}/unmerge", body: .optionalJSON(ActBody.self), api.unmerge),
            .support(.get, "/api/admin/audit", api.auditTrail),
            .support(.get, "/api/admin/statistics", api.statistics),
            .support(.get, "/api/admin/deliveries", api.deliveries),
            .support(.post, "/api/admin/deliveries/{id}/retry", body: .optionalJSON(ActBody.self), api.retryEvent),

            // Not reachable from outside.
            Route(.get, "/metrics", access: .open, operations.report, routine),
            Route(.get, "/healthz", access: .open, operations.health, routine),
            Route(.get, "/readyz", access: .open, operations.ready, routine),
        ]
        self.init(routes + documents.routes, auth: auth)
    }
}
