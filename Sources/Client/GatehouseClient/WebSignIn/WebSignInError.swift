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
