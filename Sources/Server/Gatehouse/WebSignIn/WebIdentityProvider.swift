/// Signs users in through a page of the provider in a browser, which sends the browser back to Gatehouse's callback.
///
/// It has a client id of its own at the provider, which may differ from those of the apps.
package protocol WebIdentityProvider: Sendable {
    /// The address of the provider's page.
    ///
    /// - Throws: `.providerUnavailable` if the address has to be looked up at the provider, which does not answer, and no
    ///   other refusal.
    func pageAddress(for request: ProviderRequest, requestID: String?) throws(Refusal) -> String

    /// Verifies what the provider sent to the callback, and asks the provider about the code where it has to be asked.
    ///
    /// - Parameter asked: what Gatehouse has asked for.
    /// - Throws: `.identity` for an answer that is not valid, `.providerUnavailable`, `.providerMisconfigured`, what
    ///   `Verification.spend` throws, and no other refusal.
    func verify(
        _ answer: ProviderAnswer, to asked: ProviderRequest, in request: Verification
    ) throws(Refusal) -> ProvenIdentity
}

/// What Gatehouse asks a provider through the browser. It is kept in the database until the browser comes back.
package struct ProviderRequest: Sendable, Equatable {
    /// Comes back to the callback, where it finds the request.
    package let state: String
    /// Comes back in the identity token.
    package let nonce: String
    /// Proves to the provider that the code is redeemed by the server that asked for it (PKCE, RFC 7636). Only its hash is
    /// in the address of the page.
    package let codeVerifier: String
    /// Gatehouse's callback for this provider.
    package let callback: String

    package init(state: String, nonce: String, codeVerifier: String, callback: String) {
        (self.state, self.nonce, self.codeVerifier, self.callback) = (state, nonce, codeVerifier, callback)
    }
}

/// What a provider sent to the callback through the browser. None of it is trusted: the browser's user can change it.
package struct ProviderAnswer: Sendable, Equatable {
    package var code: String?
    package var identityToken: String?
    /// Apple's JSON with the name, which comes once in a user's life.
    package var user: String?
    /// Who answers, by providers that say it (RFC 9207).
    package var issuer: String?
    /// Why the provider sends no code.
    package var error: String?

    package init(
        code: String? = nil, identityToken: String? = nil, user: String? = nil, issuer: String? = nil,
        error: String? = nil
    ) {
        self.code = code
        self.identityToken = identityToken
        self.user = user
        self.issuer = issuer
        self.error = error
    }
}

/// Why an app gets no code, in the words of OAuth (RFC 6749, section 4.1.2.1).
package enum SignInError: String, Error, Sendable, CaseIterable {
    case invalidRequest = "invalid_request"
    case unsupportedResponseType = "unsupported_response_type"
    /// The user cancelled.
    case accessDenied = "access_denied"
    /// The provider's answer proves no identity that this installation accepts. OAuth has no word for it (section 8.5 lets a
    /// server have others).
    case invalidIdentity = "invalid_identity"
    case serverError = "server_error"
    case temporarilyUnavailable = "temporarily_unavailable"
}

extension SignInError {
    /// For the developer of the app. No text of a request or of a provider is in it.
    package var description: String {
        switch self {
        case .invalidRequest: "A parameter is missing, wrong or there twice: PKCE with S256 is required."
        case .unsupportedResponseType: "The response_type has to be code."
        case .accessDenied: "The user cancelled."
        case .invalidIdentity: "The answer of the provider proves no identity that this server accepts."
        case .serverError: "The provider and this server are not configured to work together."
        case .temporarilyUnavailable: "The provider or this server is not available right now."
        }
    }

    /// The error that a provider reports. Its other errors are faults of this installation's configuration.
    init(ofProvider text: String) {
        switch text {
        case "access_denied", "user_cancelled_authorize", "user_denied", "consent_required", "interaction_required",
            "login_required", "account_selection_required":
            self = .accessDenied
        case "temporarily_unavailable": self = .temporarilyUnavailable
        default: self = .serverError
        }
    }

    /// The error that a refusal of a provider's answer becomes. An app can begin again after every one of them.
    init(_ refusal: Refusal) {
        switch refusal {
        case .identity, .missing: self = .invalidIdentity
        case .providerUnavailable, .storageUnavailable: self = .temporarilyUnavailable
        default: self = .serverError
        }
    }
}

/// Why a sign-in through a browser does not go on.
package enum WebSignInFault: Error, Sendable, Equatable {
    /// There is no address to which the browser may be sent: it shows a page.
    case page(Refusal)
    /// The browser returns to the app, with an error in the address.
    case returned(to: String, SignInError, cause: Refusal?)
}
