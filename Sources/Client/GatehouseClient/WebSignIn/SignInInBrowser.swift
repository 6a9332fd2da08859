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

/// One sign-in in a browser: the address to open, and what the answer has to match.
///
/// ``GatehouseClient/webSignIn(with:redirectURI:issuer:)`` makes it, and
/// ``GatehouseClient/signIn(completing:with:nickname:)`` takes the address to which the browser was sent back. It lives as
/// long as the process: nothing of it is to be stored.
public final class WebSignIn: Sendable {
    public let provider: Provider
    /// What the browser has to open. It holds no secret.
    public let url: URL
    let redirectURI: String
    let verifier: CodeVerifier
    private let issuer: String?
    private let state: String
    private let isCompleted = Locked(false)

    init(_ provider: Provider, at start: URL, redirectURI: String, issuer: String?) {
        (self.provider, self.redirectURI, self.issuer) = (provider, redirectURI, issuer)
        (verifier, state) = (CodeVerifier(), .random)
        url = start.appendingQuery([
            ("redirect_uri", redirectURI), ("code_challenge", verifier.challenge), ("code_challenge_method", "S256"),
            ("state", state), ("response_type", "code"),
        ])
    }

    /// The code of an answer. A second one is refused: the use of a code that was used ends the session that it began.
    func code(in callback: URL) throws(WebSignInError) -> String {
        let answer = QueryParameters(of: callback)
        guard let state = answer["state"], state.isEqual(inConstantTimeTo: self.state) else { throw .invalidAnswer }
        if let issuer, answer["iss"] != issuer { throw .invalidAnswer }
        let error = answer["error"]
        let code = answer["code"]
        guard error != nil || code?.isEmpty == false, isFirst() else { throw .invalidAnswer }
        if let error { throw WebSignInError(error, detail: answer["error_description"]) }
        return code ?? ""
    }

    private func isFirst() -> Bool {
        isCompleted.withLock { isCompleted in
            defer { isCompleted = true }
            return !isCompleted
        }
    }

    /// Why this cannot be a redirect URI, and what to give instead. Whether the server knows it, only the server can say.
    static func fault(in redirectURI: String) -> String? {
        let isAddress = URL(string: redirectURI)?.scheme?.isEmpty == false
        guard !isAddress || redirectURI.contains("#") else { return nil }
        return "A redirect URI has a scheme and no fragment: give one such as com.example.app:/signed-in."
    }
}

/// It holds the code verifier, so it does not print its contents.
extension WebSignIn: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "WebSignIn(\(provider.rawValue) …)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Why there is no sign-in in a browser.
public enum WebSignInError: Error, Hashable, Sendable {
    /// The user closed the browser, or the task was cancelled. Show nothing.
    case cancelled
    /// The user declined at the provider (`access_denied`). Show nothing, or the other ways to sign in.
    case declined
    /// The server or the provider gave no code.
    case refused(WebRefusal)
    /// The address to which the browser was sent is not the answer to this sign-in: it was made by another party, or it has
    /// been used.
    case invalidAnswer
    /// The system did not open the browser.
    case notPresented(String)
    /// The server refused the code or did not answer. The library never sends a code twice: sign in again in the browser.
    case gatehouse(GatehouseError)

    init(_ error: GatehouseError) { self = error == .cancelled ? .cancelled : .gatehouse(error) }

    init(_ error: String, detail: String?) {
        self = error == "access_denied" ? .declined : .refused(WebRefusal(code: error, detail: detail))
    }

    /// Whether another sign-in, with a browser that is opened again, may succeed later without a change of the app or the
    /// server.
    public var isTemporary: Bool {
        switch self {
        case .refused(let refusal): refusal.code == "temporarily_unavailable"
        case .gatehouse(let error): error.isTemporary
        case .cancelled, .declined, .invalidAnswer, .notPresented: false
        }
    }
}

/// An error of OAuth (RFC 6749, section 4.1.2.1).
public struct WebRefusal: Hashable, Sendable {
    /// Such as `temporarily_unavailable`, where the provider or the database does not answer the server, or `server_error`.
    public let code: String
    /// The cause, for developers.
    public let detail: String?

    /// For previews and tests of an app.
    public init(code: String, detail: String? = nil) { (self.code, self.detail) = (code, detail) }
}

extension WebSignInError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .cancelled: "The sign-in was cancelled."
        case .declined: "The user declined at the provider."
        case .refused(let refusal): "\(refusal.code): \(refusal.detail ?? "no details"). Sign in again."
        case .invalidAnswer: "The address is not the answer to this sign-in, or it has been used. Sign in again."
        case .notPresented(let reason): "The browser was not opened: \(reason)."
        case .gatehouse(let error): "\(error)"
        }
    }
}
