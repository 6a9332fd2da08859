#if canImport(AuthenticationServices) && !os(watchOS) && !os(tvOS)
    import AuthenticationServices
    import Foundation

    extension GatehouseClient {
        /// Signs in at a page of the provider, in a browser that the system shows over the app. For a provider without an SDK.
        ///
        /// ```swift
        /// do {
        ///     try await client.signInOnTheWeb(with: "company", redirectURI: "com.example.app:/signed-in") { window }
        /// } catch .cancelled {
        ///     // nothing to show
        /// }
        /// ```
        ///
        /// - Parameters:
        ///   - redirectURI: as the server's `REDIRECT_URIS` has it. An `https` address needs iOS 17.4 or macOS 14.4, and the
        ///     capability *Associated Domains* with `webcredentials:` and its host. Any other address needs a scheme of the
        ///     app's own.
        ///   - issuer: the server's `TOKEN_ISSUER`, if it is an https origin.
        ///   - nickname: for a user without one.
        ///   - isEphemeral: whether the browser knows no user who is signed in at the provider, and forgets this one.
        ///   - anchor: the window over which the browser is shown.
        @MainActor
        @discardableResult
        public func signInOnTheWeb(
            with provider: Provider, redirectURI: String, issuer: String? = nil, nickname: String? = nil,
            isEphemeral: Bool = false, anchor: @escaping @MainActor () -> ASPresentationAnchor
        ) async throws(WebSignInError) -> Session {
            let webSignIn = try webSignIn(with: provider, redirectURI: redirectURI, issuer: issuer)
            let browser = WebAuthentication(anchor)
            let callback = try await browser.answer(to: webSignIn, isEphemeral: isEphemeral).get()
            return try await signIn(completing: webSignIn, with: callback, nickname: nickname)
        }
    }
#endif
