#if canImport(AuthenticationServices) && canImport(CryptoKit) && !os(watchOS) && !os(tvOS)
    import AuthenticationServices
    import Foundation

    @MainActor
    extension PasskeyOptions {
        /// Thrown where the options are not those of this ceremony: the answer is not of Gatehouse.
        private static let invalid = PasskeySignInError.gatehouse(.unexpectedAnswer(status: 200, retryAfter: nil))

        private func provider() throws(PasskeySignInError) -> (
            ASAuthorizationPlatformPublicKeyCredentialProvider, challenge: Data
        ) {
            guard let party = publicKey.party, let challenge = Data(base64URL: publicKey.challenge) else {
                throw Self.invalid
            }
            return (ASAuthorizationPlatformPublicKeyCredentialProvider(relyingPartyIdentifier: party), challenge)
        }

        private static func preference(
            _ word: String?
        ) -> ASAuthorizationPublicKeyCredentialUserVerificationPreference {
            switch word {
            case "required": .required
            case "discouraged": .discouraged
            default: .preferred
            }
        }

        var signInRequest: ASAuthorizationRequest {
            get throws(PasskeySignInError) {
                let (provider, challenge) = try provider()
                let request = provider.createCredentialAssertionRequest(challenge: challenge)
                request.userVerificationPreference = Self.preference(publicKey.userVerification)
                return request
            }
        }

        var creationRequest: ASAuthorizationRequest {
            get throws(PasskeySignInError) {
                let (provider, challenge) = try provider()
                guard let user = publicKey.user, let id = Data(base64URL: user.id) else { throw Self.invalid }
                let request = provider.createCredentialRegistrationRequest(
                    challenge: challenge, name: user.name, userID: id)
                request.displayName = user.displayName
                request.userVerificationPreference = Self.preference(
                    publicKey.authenticatorSelection?.userVerification)
                if #available(iOS 17.4, macOS 13.5, visionOS 1.1, *) {
                    request.excludedCredentials = publicKey.excludeCredentials?.compactMap { descriptor in
                        Data(base64URL: descriptor.id).map(
                            ASAuthorizationPlatformPublicKeyCredentialDescriptor.init(credentialID:))
                    }
                }
                return request
            }
        }

        /// iOS 26's sheet for a sign-up; before it, one for a passkey alone.
        func accountRequest(
            _ contacts: [PasskeyContact]
        ) throws(PasskeySignInError) -> ASAuthorizationRequest {
            guard #available(iOS 26.0, macOS 26.0, visionOS 26.0, *) else { return try creationRequest }
            let (provider, challenge) = try provider()
            guard let user = publicKey.user, let id = Data(base64URL: user.id) else { throw Self.invalid }
            return ASAuthorizationAccountCreationProvider().createPlatformPublicKeyCredentialRegistrationRequest(
                acceptedContactIdentifiers: contacts.map { $0 == .email ? .email : .phoneNumber },
                shouldRequestName: true, relyingPartyIdentifier: provider.relyingPartyIdentifier, challenge: challenge,
                userID: id)
        }
    }
#endif

#if canImport(AuthenticationServices)
    import AuthenticationServices

    /// Why there is no login with a passkey, or no new passkey.
    public enum PasskeySignInError: Error, Hashable, Sendable {
        /// The user closed the sheet, the task was cancelled, or another sheet has been shown. Show nothing.
        case cancelled
        /// In a sign-up, the user prefers Sign in with Apple, with which they have signed in before.
        case prefersApple
        /// The device cannot make passkeys, for example because it has no passcode. Show another way to sign up.
        case notConfigured
        /// The user has a passkey of this account on the device already.
        case alreadyExists
        /// Apple gave no credential. `failed` mostly says that the app is not associated with the domain; see the capability
        /// *Associated Domains*.
        case apple(ASAuthorizationError.Code)
        /// The server refused the request, or did not answer.
        case gatehouse(GatehouseError)

        init(_ error: any Error) {
            switch error {
            case let error as PasskeySignInError: self = error
            case GatehouseError.cancelled, AppleSignInError.cancelled, is CancellationError: self = .cancelled
            case let error as GatehouseError: self = .gatehouse(error)
            case AppleSignInError.gatehouse(let error): self = .gatehouse(error)
            // By their numbers, because the names need iOS 18 and iOS 26.
            case AppleSignInError.apple(let code) where code.rawValue == 1006: self = .alreadyExists
            case AppleSignInError.apple(let code) where code.rawValue == 1009: self = .prefersApple
            case AppleSignInError.apple(let code) where code.rawValue == 1010: self = .notConfigured
            case AppleSignInError.apple(let code): self = .apple(code)
            default: self = .apple(.invalidResponse)
            }
        }
    }

    extension PasskeySignInError: CustomStringConvertible {
        public var description: String {
            switch self {
            case .cancelled: "No passkey was chosen."
            case .prefersApple: "The user prefers Sign in with Apple."
            case .notConfigured: "The device cannot make passkeys: it may have no passcode."
            case .alreadyExists: "A passkey of this user is on the device already."
            case .apple(let code) where code.rawValue == 1004:
                """
                Apple gave no credential (ASAuthorizationError 1004). Mostly the app is not associated with the domain: check the \
                capability Associated Domains, and what Apple's cache has of apple-app-site-association.
                """
            case .apple(let code): "Apple gave no credential (ASAuthorizationError \(code.rawValue))."
            case .gatehouse(let error): "\(error)"
            }
        }
    }
#endif
