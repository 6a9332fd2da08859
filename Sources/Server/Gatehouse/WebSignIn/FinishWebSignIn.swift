extension AuthService {
    /// Verifies what a provider sent to the callback, and returns the address at which the app gets its code.
    ///
    /// - Parameters:
    ///   - state: the one that the provider has sent back.
    ///   - browser: the value of the browser's cookie.
    package func finishWebSignIn(
        by name: Provider?, state: String?, _ answer: ProviderAnswer, in browser: String?, from device: Device,
        in context: RequestContext
    ) throws(WebSignInFault) -> String {
        let (name, provider, callback) = try webClient(of: name)
        let now = platform.now()
        let request = try takeRequest(state, of: name, in: browser, now: now)
        // The operator may have removed it since.
        guard policy.web.permits(redirectURI: request.redirectURI) else { throw .page(.invalidRedirectURI) }
        if let error = answer.signInError { throw refusedByProvider(request, error, answer.error, context) }
        let asked = ProviderRequest(
            state: state ?? "", nonce: request.nonce, codeVerifier: request.codeVerifier, callback: callback)
        do throws(Refusal) {
            let proven = try provider.verify(
                answer, to: asked, in: Verification(now: now, requestID: context.id, codes: self))
            // Apple's token comes through the browser, so it must not be good for another login.
            if let redemption = proven.redemption { try spend(redemption, by: name) }
            let code = try keepCode(for: proven, of: request)
            report(.webSignIn(.proven), context.id)
            return returnAddress(request.redirectURI, [("code", code)], state: request.appState)
        } catch {
            report(.webSignIn(.failed), context.id)
            let refusal = refusedLogin(error, by: name, from: device, in: context)
            throw failure(SignInError(refusal), of: request, cause: refusal)
        }
    }

    /// The request that the state belongs to, which no other callback gets. That of another browser stays as it is, so that an
    /// attacker neither completes nor spoils it.
    private func takeRequest(
        _ state: String?, of provider: Provider, in browser: String?, now: Timestamp
    ) throws(WebSignInFault) -> StoredAuthorizationRequest {
        do throws(Refusal) {
            guard let state, let browser,
                let request = try store.takeAuthorizationRequest(
                    tokens.hash(state), of: provider, in: tokens.hash(browser)),
                request.isAlive(now: now)
            else { throw .invalidState }
            return request
        } catch {
            throw .page(error)
        }
    }

    private func refusedByProvider(
        _ request: StoredAuthorizationRequest, _ error: SignInError, _ text: String?, _ context: RequestContext
    ) -> WebSignInFault {
        if error == .accessDenied {
            report(.webSignIn(.cancelled), context.id)
        } else {
            report(.webSignIn(.failed), context.id)
            report(.webSignInRefused(request.provider, text.flatMap { PlainName($0) }), context.id)
        }
        return failure(error, of: request, cause: nil)
    }

    private func failure(
        _ error: SignInError, of request: StoredAuthorizationRequest, cause: Refusal?
    ) -> WebSignInFault {
        .returned(
            to: returnAddress(request.redirectURI, error: error, state: request.appState), error, cause: cause)
    }

    /// Makes the code that the app exchanges for tokens.
    private func keepCode(for proof: ProvenIdentity, of request: StoredAuthorizationRequest) throws(Refusal) -> String {
        let code = newSecret
        try store.keep(
            StoredAuthorizationCode(
                hash: tokens.hash(code), redirectURI: request.redirectURI, codeChallenge: request.codeChallenge,
                sealedProof: tokens.seal(proof, withCode: code),
                // Counted from now: the provider may have taken its time to answer.
                expiresAt: platform.now() + StoredAuthorizationCode.lifetime))
        return code
    }
}

extension ProviderAnswer {
    /// Nil if the provider has sent something to verify. WeChat sends the state alone when the user refuses.
    fileprivate var signInError: SignInError? {
        if let error { return SignInError(ofProvider: error) }
        return code == nil && identityToken == nil ? .accessDenied : nil
    }
}
