import Foundation

/// Signing in at a page of the provider, for providers without an SDK, and for programs outside Apple's platforms.
extension GatehouseClient {
    /// Begins a sign-in in a browser. Open its ``WebSignIn/url`` in the system's browser, not in a view of the app, and give the
    /// address to which the browser is sent back to ``signIn(completing:with:nickname:)``.
    ///
    /// On Apple's platforms, ``signInOnTheWeb(with:redirectURI:issuer:nickname:isEphemeral:anchor:)`` does all of it.
    ///
    /// - Parameters:
    ///   - redirectURI: where the browser is sent back to, exactly as the server's `REDIRECT_URIS` has it: a link of the app,
    ///     an address with a scheme of the app's own such as `com.example.app:/signed-in`, or `http://127.0.0.1:PORT/…` of
    ///     a program on the user's computer. An address without a scheme stops the program.
    ///   - issuer: the server's `TOKEN_ISSUER`, if it is an https origin. The answer must then name it (RFC 9207).
    public nonisolated func webSignIn(
        with provider: Provider, redirectURI: String, issuer: String? = nil
    ) throws(WebSignInError) -> WebSignIn {
        if let fault = WebSignIn.fault(in: redirectURI) { fatalError(fault) }
        let path = "auth/\(Connection.segment(provider.rawValue.lowercased()))/start"
        let start = connection.url(of: path)
        do { try connection.requireTrust(in: start) } catch { throw WebSignInError(error) }
        return WebSignIn(provider, at: start, redirectURI: redirectURI, issuer: issuer)
    }

    /// Signs in with the browser's answer. A session that this replaces is ended at the server.
    ///
    /// The code of the answer is sent once, also if the answer of the server is lost: then begin another sign-in.
    ///
    /// - Parameters:
    ///   - callback: the address to which the browser was sent. One that another party made is refused
    ///     (``WebSignInError/invalidAnswer``), and the right one may still come.
    ///   - nickname: for a user without one.
    /// - Throws: ``GatehouseError/superseded`` as by ``signIn(with:)``.
    @discardableResult
    public func signIn(
        completing webSignIn: WebSignIn, with callback: URL, nickname: String? = nil
    ) async throws(WebSignInError) -> Session {
        let code = try webSignIn.code(in: callback)
        do throws(GatehouseError) {
            return try await signIn(LoginRequest(webSignIn, code: code, nickname: nickname))
        } catch {
            throw WebSignInError(error)
        }
    }
}

extension LoginRequest {
    fileprivate init(_ webSignIn: WebSignIn, code: String, nickname: String?) {
        struct Body: Encodable { let code, codeVerifier, redirectUri: String, nickname: String? }
        let body = Body(
            code: code, codeVerifier: webSignIn.verifier.text, redirectUri: webSignIn.redirectURI, nickname: nickname)
        self.init(
            path: "auth/exchange", body: try? JSONEncoder().encode(body), provider: webSignIn.provider, code: .browser)
    }
}
