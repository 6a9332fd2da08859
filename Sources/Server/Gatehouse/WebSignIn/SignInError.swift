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
