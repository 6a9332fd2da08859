#if canImport(AuthenticationServices) && canImport(CryptoKit) && !os(watchOS)
    import AuthenticationServices
    import Foundation

    /// What Apple's sheet gives.
    enum AppleCredential: Sendable {
        case apple(AppleLogin)
        case passkey(PasskeyCredential, PasskeyProfile?)

        var passkey: PasskeyCredential {
            get throws(AppleSignInError) {
                guard case .passkey(let credential, _) = self else { throw .apple(.invalidResponse) }
                return credential
            }
        }

        /// What the sheet for a sign-up has asked.
        var profile: PasskeyProfile? {
            if case .passkey(_, let profile) = self { profile } else { nil }
        }

        /// - Parameter nonce: the nonce that the request for Sign in with Apple had.
        init(_ authorization: ASAuthorization, nonce: String?) throws(AppleSignInError) {
            switch authorization.credential {
            case let assertion as ASAuthorizationPlatformPublicKeyCredentialAssertion:
                self = .passkey(try PasskeyCredential(assertion), nil)
            case let registration as ASAuthorizationPlatformPublicKeyCredentialRegistration:
                self = .passkey(try PasskeyCredential(registration), nil)
            default:
                #if !os(tvOS)
                    if #available(iOS 26.0, macOS 26.0, visionOS 26.0, *),
                        let account = authorization.credential
                            as? ASAuthorizationAccountCreationPlatformPublicKeyCredential
                    {
                        let passkey = try PasskeyCredential(account.credentialRegistration)
                        self = .passkey(passkey, PasskeyProfile(account))
                        return
                    }
                #endif
                guard let nonce else { throw .noIdentityToken }
                self = .apple(try AppleLogin(authorization, nonce: nonce))
            }
        }
    }

    extension PasskeyCredential {
        fileprivate init(
            _ assertion: ASAuthorizationPlatformPublicKeyCredentialAssertion
        ) throws(AppleSignInError) {
            // Apple's headers have not said in every version that none of them is nil.
            let parts: [Data?] = [assertion.rawAuthenticatorData, assertion.signature, assertion.userID]
            let present = parts.compactMap { $0 }
            guard present.count == parts.count else { throw .apple(.invalidResponse) }
            self.init(
                id: assertion.credentialID, clientData: assertion.rawClientDataJSON, authenticatorData: present[0],
                signature: present[1], user: present[2])
        }

        fileprivate init(
            _ registration: ASAuthorizationPlatformPublicKeyCredentialRegistration
        ) throws(AppleSignInError) {
            guard let attestation = registration.rawAttestationObject else { throw .apple(.invalidResponse) }
            self.init(
                id: registration.credentialID, clientData: registration.rawClientDataJSON, attestation: attestation)
        }
    }

    #if !os(tvOS)
        @available(iOS 26.0, macOS 26.0, visionOS 26.0, *)
        extension PasskeyProfile {
            fileprivate init(_ account: ASAuthorizationAccountCreationPlatformPublicKeyCredential) {
                var contact: String?
                if case .email(let address) = account.contactIdentifier { contact = address.value }
                if case .phoneNumber(let number) = account.contactIdentifier { contact = number.value }
                let name = account.name?.formatted() ?? ""
                self.init(nickname: name.isEmpty ? nil : name, contact: contact)
            }
        }
    #endif
#endif
