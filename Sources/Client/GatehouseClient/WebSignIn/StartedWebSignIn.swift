import Foundation

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
