#if canImport(AuthenticationServices) && canImport(CryptoKit) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    /// Signs in with Apple: asks the server for a nonce, shows Apple's sheet, and sends Apple's answer to the server.
    ///
    /// ```swift
    /// let apple = AppleSignIn(client) { window }
    /// do {
    ///     let session = try await apple.signIn()
    /// } catch .cancelled {
    ///     // nothing to show
    /// }
    /// ```
    ///
    /// An app with SwiftUI's `SignInWithAppleButton` calls ``prepare(_:with:scopes:)`` in `onRequest` and
    /// ``signIn(completing:)`` in `onCompletion`.
    @MainActor
    public final class AppleSignIn {
        private let client: GatehouseClient
        let anchor: (@MainActor () -> ASPresentationAnchor)?
        private let defaults: UserDefaults
        private var prepared: LoginChallenge?

        /// - Parameters:
        ///   - defaults: keeps Apple's id of the user, which is no secret, for ``checkCredential()``.
        ///   - anchor: the window for Apple's sheet. On macOS, and where an app has several windows, it is needed.
        public init(
            _ client: GatehouseClient, defaults: UserDefaults = .standard,
            anchor: (@MainActor () -> ASPresentationAnchor)? = nil
        ) {
            (self.client, self.defaults, self.anchor) = (client, defaults, anchor)
        }

        /// Signs in. A call while Apple's sheet is open closes it, and the earlier call throws
        /// ``AppleSignInError/cancelled``.
        public func signIn(
            scopes: [ASAuthorization.Scope] = [.fullName, .email]
        ) async throws(AppleSignInError) -> Session {
            try await signIn(authorize(scopes: scopes))
        }

        /// Asks Apple without signing in: for `link`, and for the `authorizationCode` of `deleteAccount`.
        public func authorize(scopes: [ASAuthorization.Scope] = []) async throws(AppleSignInError) -> AppleLogin {
            let (request, nonce) = try await request(scopes: scopes)
            let credential = try await AppleAuthorization([request], nonce: nonce, anchor: anchor).perform().get()
            guard case .apple(let login) = credential else { throw .noIdentityToken }
            return login
        }

        /// A request for Apple's sheet, which may offer other ways to sign in as well.
        func request(
            scopes: [ASAuthorization.Scope]
        ) async throws(AppleSignInError) -> (request: ASAuthorizationRequest, nonce: String) {
            let challenge = try await newChallenge()
            let request = ASAuthorizationAppleIDProvider().createRequest()
            Self.configure(request, challenge, scopes)
            return (request, challenge.nonce)
        }

        private func newChallenge() async throws(AppleSignInError) -> LoginChallenge {
            do { return try await client.challenge() } catch { throw AppleSignInError(error) }
        }

        func signIn(_ login: AppleLogin) async throws(AppleSignInError) -> Session {
            do {
                let session = try await client.signIn(apple: login)
                appleUser = login.userIdentifier
                return session
            } catch { throw AppleSignInError(error) }
        }

        private static func configure(
            _ request: ASAuthorizationAppleIDRequest, _ challenge: LoginChallenge, _ scopes: [ASAuthorization.Scope]
        ) {
            request.requestedScopes = scopes
            request.nonce = challenge.hash
        }

        // MARK: SwiftUI's button

        /// Sets the scopes and the nonce of the button's request, in `onRequest`.
        ///
        /// - Parameter challenge: the latest of ``challenges()``. A button without one is disabled.
        public func prepare(
            _ request: ASAuthorizationAppleIDRequest, with challenge: LoginChallenge,
            scopes: [ASAuthorization.Scope] = [.fullName, .email]
        ) {
            prepared = challenge
            Self.configure(request, challenge, scopes)
        }

        /// Signs in with the button's result, in `onCompletion`.
        public func signIn(
            completing result: Result<ASAuthorization, any Error>
        ) async throws(AppleSignInError) -> Session {
            try await signIn(login(from: result))
        }

        /// The login of the button's result, for `link` and `deleteAccount`.
        public func login(from result: Result<ASAuthorization, any Error>) throws(AppleSignInError) -> AppleLogin {
            let challenge = prepared
            prepared = nil
            switch result {
            case .success(let authorization):
                guard let challenge else { throw .notPrepared }
                return try AppleLogin(authorization, nonce: challenge.nonce)
            case .failure(let error): throw AppleSignInError(error)
            }
        }

        /// A nonce of the server, and a new one before it expires, until the task is cancelled. A nonce is for one
        /// login, so start again after each:
        /// `.task(id: attempts) { for await next in apple.challenges() { challenge = next } }`.
        public func challenges() -> AsyncStream<LoginChallenge> {
            let client = client
            return AsyncStream { continuation in
                let task = Task {
                    var retry = 2.0
                    while !Task.isCancelled {
                        let pause: Double
                        if let challenge = try? await client.challenge() {
                            continuation.yield(challenge)
                            pause = max(1, Double(challenge.expiresIn) / 2)
                            retry = 2
                        } else {
                            pause = retry
                            retry = min(retry * 2, 60)
                        }
                        try? await Task.sleep(for: .seconds(pause))
                    }
                }
                continuation.onTermination = { _ in task.cancel() }
            }
        }

        // MARK: Apple's state of the credential

        /// Asks Apple whether the user still uses Sign in with Apple for this app, and asks the server if not. Call it
        /// when the app becomes active. In a session that another provider has opened, it does nothing.
        ///
        /// It does not sign out by itself. Apple tells the server of a revocation, which then refuses the request, and
        /// that signs out.
        public func checkCredential() async {
            guard let appleUser, await isConcerned else { return }
            let state = try? await ASAuthorizationAppleIDProvider().credentialState(forUserID: appleUser)
            if state == .revoked { await askServer() }
        }

        /// Asks Apple now, and the server whenever Apple says that a credential was revoked, until the task is
        /// cancelled.
        public func watchCredential() async {
            let (revocations, continuation) = AsyncStream.makeStream(
                of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let observer = NotificationCenter.default.addObserver(
                forName: ASAuthorizationAppleIDProvider.credentialRevokedNotification, object: nil, queue: nil
            ) { _ in continuation.yield() }
            defer { NotificationCenter.default.removeObserver(observer) }
            await checkCredential()
            for await _ in revocations { await askServer() }
        }

        /// The server refuses a session that has ended, which signs out. Any other failure is ignored.
        private func askServer() async {
            if await isConcerned { _ = try? await client.user() }
        }

        /// Whether a revocation may have ended the present session. It ends those that Apple has opened, and no other.
        /// An earlier version of the library has not stored which provider it was.
        private var isConcerned: Bool {
            get async { await client.loginProvider ?? .apple == .apple }
        }

        /// Kept after a logout; at worst it causes one more request.
        private var appleUser: String? {
            get { defaults.string(forKey: "gatehouse.appleUser") }
            set { defaults.set(newValue, forKey: "gatehouse.appleUser") }
        }
    }
#endif

#if canImport(AuthenticationServices)
    import AuthenticationServices

    /// Why there is no login with Apple.
    public enum AppleSignInError: Error, Hashable, Sendable {
        /// The user closed Apple's sheet, the task was cancelled, or another login has been started. Show nothing.
        case cancelled
        /// Apple gave no credential, for example because no Apple Account is signed in on the device (`unknown`), or
        /// because the capability *Sign in with Apple* is missing.
        case apple(ASAuthorizationError.Code)
        /// Apple's answer has no identity token, or is of another kind than Sign in with Apple.
        case noIdentityToken
        /// ``AppleSignIn/prepare(_:with:scopes:)`` was not called for this answer.
        case notPrepared
        /// The server refused the login, or did not answer.
        case gatehouse(GatehouseError)

        /// The error of an `ASAuthorizationController`.
        init(_ error: any Error) {
            switch error {
            case let error as ASAuthorizationError where error.code == .canceled: self = .cancelled
            case let error as ASAuthorizationError: self = .apple(error.code)
            default: self = .apple(.unknown)
            }
        }

        init(_ error: GatehouseError) { self = error == .cancelled ? .cancelled : .gatehouse(error) }
    }

    extension AppleSignInError: CustomStringConvertible {
        public var description: String {
            switch self {
            case .cancelled: "The login was cancelled."
            case .apple(let code): "Apple gave no credential (ASAuthorizationError \(code.rawValue))."
            case .noIdentityToken: "Apple's answer has no identity token. Start the login again."
            case .notPrepared: "The request was not prepared: call prepare(_:with:) in onRequest."
            case .gatehouse(let error): "\(error)"
            }
        }
    }
#endif

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
