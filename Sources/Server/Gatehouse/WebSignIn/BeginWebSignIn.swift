import Text

/// A request to sign in through a browser, as the app's address says it.
package struct WebSignInRequest: Sendable {
    package let provider: Provider?
    package var redirectURI: String?
    package var codeChallenge: String?
    package var codeChallengeMethod: String?
    package var responseType: String?
    package var state: String?
    /// The thumbprint of the key to which the app binds its sign-in (`dpop_jkt`, RFC 9449, section 10).
    package var keyThumbprint: String?
    /// Whether a parameter is there twice.
    package var hasDuplicates: Bool

    package init(
        provider: Provider?, redirectURI: String? = nil, codeChallenge: String? = nil,
        codeChallengeMethod: String? = nil, responseType: String? = nil, state: String? = nil,
        keyThumbprint: String? = nil, hasDuplicates: Bool = false
    ) {
        self.provider = provider
        self.redirectURI = redirectURI
        self.codeChallenge = codeChallenge
        self.codeChallengeMethod = codeChallengeMethod
        self.responseType = responseType
        self.state = state
        self.keyThumbprint = keyThumbprint
        self.hasDuplicates = hasDuplicates
    }
}

extension WebSignInRequest {
    private static let longestState = 512
    private static let secretLength = 43

    /// Nil if the request can be granted.
    var fault: SignInError? {
        guard !hasDuplicates else { return .invalidRequest }
        guard responseType == nil || responseType == "code" else { return .unsupportedResponseType }
        // Without a method, RFC 7636 means the verifier itself, which protects nothing where the address was seen.
        guard codeChallengeMethod == "S256", let codeChallenge, Self.is32BytesInBase64URL(codeChallenge) else {
            return .invalidRequest
        }
        guard keyThumbprint.map(Self.is32BytesInBase64URL) ?? true else { return .invalidRequest }
        return hasReturnableState ? nil : .invalidRequest
    }

    /// Whether the app's state has the characters that OAuth permits (RFC 6749, appendix A.5), and fits into the address at
    /// which the app gets it back.
    var hasReturnableState: Bool {
        guard let state else { return true }
        return state.utf8.count <= Self.longestState && state.utf8.allSatisfy(\.isPrintable)
    }

    /// Whether a text has the form of a challenge, and of the values that Gatehouse makes: 32 bytes in base64url.
    static func is32BytesInBase64URL(_ text: String) -> Bool {
        text.utf8.count == secretLength && text.utf8.allSatisfy(isBase64URL)
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

/// Where the browser goes first.
package struct WebSignInStart: Sendable, Equatable {
    package let page: String
    /// The value of the cookie that binds the sign-in to the browser.
    package let browser: String
    package let lifetime: Duration
}

extension AuthService {
    /// How many random bytes a state, a nonce, a code or a cookie has.
    private static let secretByteCount = 32

    var newSecret: String { tokens.text(of: platform.random(Self.secretByteCount)) }

    /// Sends the browser to a provider's page.
    ///
    /// - Parameter browser: the value of the cookie that the browser has; nil for none.
    package func begin(
        _ signIn: WebSignInRequest, in browser: String?, requestID: String
    ) throws(WebSignInFault) -> WebSignInStart {
        let (name, provider, callback) = try webClient(of: signIn.provider)
        guard let redirectURI = signIn.redirectURI, policy.web.permits(redirectURI: redirectURI) else {
            report(.redirectURIRefused(RedirectURI.plainPart(of: signIn.redirectURI ?? "")), requestID)
            throw .page(.invalidRedirectURI)
        }
        if let fault = signIn.fault { throw failure(fault, of: signIn, redirectURI) }
        let browser = browser.flatMap { WebSignInRequest.is32BytesInBase64URL($0) ? $0 : nil } ?? newSecret
        let request = ProviderRequest(state: newSecret, nonce: newSecret, codeVerifier: newSecret, callback: callback)
        do throws(Refusal) {
            let page = try provider.pageAddress(for: request, requestID: requestID)
            try store.keep(stored(request, for: signIn, by: name, in: browser, endingAt: redirectURI))
            report(.webSignIn(.begun), requestID)
            return WebSignInStart(page: page, browser: browser, lifetime: StoredAuthorizationRequest.lifetime)
        } catch {
            report(.webSignIn(.failed), requestID)
            throw failure(SignInError(error), of: signIn, redirectURI, cause: error)
        }
    }

    /// A provider that signs in through a browser here, and the address to which it sends the browser back.
    func webClient(
        of name: Provider?
    ) throws(WebSignInFault) -> (name: Provider, provider: any WebIdentityProvider, callback: String) {
        guard let name, signsInOnTheWeb(name), let provider = webProviders[name],
            let callback = policy.web.callback(of: name)
        else { throw .page(.unknownProvider) }
        return (name, provider, callback)
    }

    private func stored(
        _ request: ProviderRequest, for signIn: WebSignInRequest, by provider: Provider, in browser: String,
        endingAt redirectURI: String
    ) -> StoredAuthorizationRequest {
        StoredAuthorizationRequest(
            stateHash: tokens.hash(request.state), provider: provider, browserHash: tokens.hash(browser),
            nonce: request.nonce, codeVerifier: request.codeVerifier, redirectURI: redirectURI,
            codeChallenge: [signIn.codeChallenge, signIn.keyThumbprint].compactMap(\.self).joined(separator: "."),
            appState: signIn.state,
            expiresAt: platform.now() + StoredAuthorizationRequest.lifetime)
    }

    private func failure(
        _ error: SignInError, of signIn: WebSignInRequest, _ redirectURI: String, cause: Refusal? = nil
    ) -> WebSignInFault {
        let state = signIn.hasReturnableState ? signIn.state : nil
        return .returned(to: returnAddress(redirectURI, error: error, state: state), error, cause: cause)
    }

    /// Where the browser returns with an error.
    func returnAddress(_ redirectURI: String, error: SignInError, state: String?) -> String {
        returnAddress(
            redirectURI, [("error", error.rawValue), ("error_description", error.description)], state: state)
    }

    /// Where the browser returns to. The issuer says which server answers (RFC 9207).
    func returnAddress(_ redirectURI: String, _ parameters: [(String, String)], state: String?) -> String {
        let added =
            parameters
            + [("state", state), ("iss", policy.web.issuer)].compactMap { name, value in
                value.map { (name, $0) }
            }
        return RedirectURI.address(redirectURI, adding: added.map { (name: $0.0, value: $0.1) })
    }
}
