#if canImport(AuthenticationServices) && canImport(CryptoKit) && !os(watchOS) && !os(tvOS)
    import AuthenticationServices
    import Foundation

    /// Passkeys with the system's sheets. The app needs the capability *Associated Domains* with `webcredentials:` and the server's
    /// `PASSKEY_RP_ID`.
    ///
    /// ```swift
    /// do {
    ///     let session = try await client.signInWithPasskey { window }
    /// } catch .cancelled {
    ///     // nothing to show
    /// }
    /// ```
    ///
    /// The system shows one sheet at a time: a call ends the one before, also that of ``AppleSignIn``, with
    /// ``PasskeySignInError/cancelled``.
    @MainActor
    extension GatehouseClient {
        public typealias Anchor = @MainActor () -> ASPresentationAnchor

        /// Signs in with a passkey that the user chooses.
        ///
        /// A passkey that the server does not know is refused (``ProblemCode/invalidPasskey`` with ``ProblemReason/unknown``). On
        /// iOS 26, password managers are told so, and hide it.
        ///
        /// - Parameters:
        ///   - apple: offers Sign in with Apple in the same sheet, for users who have signed in that way.
        ///   - ifAvailable: shows a sheet only if there is a credential on this device: for the start of the app. Without one, it
        ///     is ``PasskeySignInError/cancelled``.
        ///   - anchor: the window for the sheet. On macOS, and where an app has several windows, it is needed.
        @discardableResult
        public func signInWithPasskey(
            or apple: AppleSignIn? = nil, ifAvailable: Bool = false, anchor: Anchor? = nil
        ) async throws(PasskeySignInError) -> Session {
            do {
                let options = try await passkeyLogin()
                let other = try await apple?.request(scopes: [.fullName, .email])
                let authorization = AppleAuthorization(
                    [try options.signInRequest] + (other.map { [$0.request] } ?? []), nonce: other?.nonce,
                    anchor: anchor ?? apple?.anchor)
                let answer = await authorization.perform(ifAvailable ? .sheetIfAvailable : .sheet)
                if case .success(.apple(let login)) = answer, let apple { return try await apple.signIn(login) }
                return try await signIn(passkey: answer.get().passkey, for: options)
            } catch {
                throw PasskeySignInError(error)
            }
        }

        /// Waits until the user chooses a passkey among the suggestions above the keyboard, and signs in with it. iOS suggests
        /// passkeys in a field with the content type `username`. macOS does not.
        ///
        /// Call it when the field appears, and cancel the task when it disappears. A sheet ends it: call it again
        /// after that. It renews the server's challenge, and waits while the server does not answer.
        @discardableResult
        public func signInWithSuggestedPasskey(
            anchor: Anchor? = nil
        ) async throws(PasskeySignInError) -> Session {
            do {
                while true {
                    let options = try await suggestedOptions()
                    let authorization = AppleAuthorization([try options.signInRequest], anchor: anchor)
                    let renewal = Task {
                        let seconds = max((options.publicKey.timeout ?? 300_000) / 1000 * 0.75, 1)
                        try await Task.sleep(for: .seconds(seconds))
                        authorization.expire()
                    }
                    defer { renewal.cancel() }
                    let answer = await authorization.perform(.suggestions)
                    if authorization.isExpired { continue }
                    return try await signIn(passkey: answer.get().passkey, for: options)
                }
            } catch {
                throw PasskeySignInError(error)
            }
        }

        private func suggestedOptions() async throws -> PasskeyOptions {
            var pause = 2.0
            while true {
                do { return try await passkeyLogin() } catch {
                    guard error.isTemporary else { throw error }
                }
                try await Task.sleep(for: .seconds(pause))
                pause = min(pause * 2, 60)
            }
        }

        /// Makes a new user with a passkey, and signs in.
        ///
        /// From iOS 26 on, without a nickname and a contact, a sheet asks for a name and for one of the contacts, and makes the
        /// passkey. A user who has signed in with Apple before may choose that instead.
        ///
        /// After a lost answer the user may exist: have the user sign in with the new passkey.
        ///
        /// - Parameters:
        ///   - contact: a mail address or a phone number. The server keeps it as unproven, and accepts no login by it.
        ///   - contacts: what the sheet may ask for, the preferred kind first.
        ///   - apple: signs in with Apple where the user prefers it. Without it, the error is
        ///     ``PasskeySignInError/prefersApple``.
        @discardableResult
        public func signUpWithPasskey(
            nickname: String? = nil, contact: String? = nil, asking contacts: [PasskeyContact] = [.email, .phone],
            or apple: AppleSignIn? = nil, anchor: Anchor? = nil
        ) async throws(PasskeySignInError) -> Session {
            do {
                let options = try await passkeySignUp(nickname: nickname, contact: contact)
                let asks = nickname == nil && contact == nil && !contacts.isEmpty
                let request = try asks ? options.accountRequest(contacts) : options.creationRequest
                let answer = await AppleAuthorization([request], anchor: anchor ?? apple?.anchor).perform()
                if case .failure(let error) = answer, PasskeySignInError(error) == .prefersApple, let apple {
                    return try await apple.signIn()
                }
                let credential = try answer.get()
                return try await signUp(passkey: credential.passkey, for: options, as: credential.profile)
            } catch {
                throw PasskeySignInError(error)
            }
        }

        /// Adds a passkey to the present user. The server may demand a recent login (``ProblemCode/loginTooOld``).
        ///
        /// - Parameter name: the passkey's name in ``passkeys()``, such as "Ann's iPhone".
        @discardableResult
        public func addPasskey(
            name: String? = nil, anchor: Anchor? = nil
        ) async throws(PasskeySignInError) -> ListedPasskey {
            do {
                let options = try await passkeyAddition()
                let answer = await AppleAuthorization([try options.creationRequest], anchor: anchor).perform()
                return try await add(passkey: answer.get().passkey, for: options, name: name)
            } catch {
                throw PasskeySignInError(error)
            }
        }
    }

    /// What iOS 26's sheet for a sign-up may ask for.
    public enum PasskeyContact: Hashable, Sendable {
        case email
        case phone
    }
#endif
