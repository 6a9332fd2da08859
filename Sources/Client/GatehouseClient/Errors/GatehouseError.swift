import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Why a call of the client failed. No error signs the user out: ``GatehouseClient/states`` says when the session has
/// ended.
public enum GatehouseError: Error, Hashable, Sendable {
    /// No user is signed in.
    case signedOut(SignOutReason?)
    /// The server refused the request, or asks to wait.
    case refused(Problem)
    /// No answer arrived; the description says why. Unless there was no connection, the server may have carried out the
    /// request.
    case noAnswer(URLError.Code)
    /// An answer that Gatehouse never gives: it came from a proxy, a captive portal, or a server that is not Gatehouse.
    case unexpectedAnswer(status: Int, retryAfter: Duration?)
    /// It is not known whether a user is signed in.
    case storeUnavailable(StoreUnavailable)
    /// The user signed out, or signed in again, during this call. The call has no effect on the present session.
    case superseded
    /// Tokens are sent to the server's origin and the trusted ones, by HTTPS, or to this device.
    case untrustedOrigin(String)
    case cancelled
}

extension GatehouseError {
    /// Whether the same call may succeed later, without a change of the app, the device or the server. The library
    /// repeats no other request. A login with a code needs a new code for it.
    public var isTemporary: Bool {
        switch self {
        case .noAnswer(let code): !code.isLasting
        case .storeUnavailable(let reason): reason != .unreadable
        case .refused(let problem): Self.isTemporary(problem.status)
        // A proxy or a captive portal answered; Gatehouse may answer later.
        case .unexpectedAnswer: true
        case .signedOut, .superseded, .untrustedOrigin, .cancelled: false
        }
    }

    /// How long the server asks to wait.
    public var retryAfter: Duration? {
        switch self {
        case .refused(let problem): problem.retryAfter
        case .unexpectedAnswer(_, let pause): pause
        default: nil
        }
    }

    /// The same error of a request with a code. Where the server may have used the code, the text says so.
    func afterUsedCode(from origin: CodeOrigin) -> GatehouseError {
        guard case .refused(let problem) = self, problem.status >= 500 else { return self }
        let remedy =
            switch origin {
            case .provider: "A code can be used once: get a new one from the provider."
            case .message: "A code can be used once: the user may try it once more, and 401 then means that it is used."
            case .carrier: "A token can be used once: get a new one from the library of the vendor, or use a code."
            case .browser: "A code can be used once: sign in again in the browser."
            case .passkey: "A challenge can be used once: ask for the passkey again."
            }
        return .refused(problem.adding(remedy))
    }

    private static func isTemporary(_ status: Int) -> Bool { status == 429 || status == 408 || status >= 500 }
}

extension GatehouseError: LocalizedError, CustomStringConvertible {
    public var errorDescription: String? { description }

    public var description: String {
        switch self {
        case .signedOut: "No user is signed in."
        case .refused(let problem): problem.description
        case .noAnswer(let code): "\(code.explanation) (URLError \(code.rawValue))"
        case .unexpectedAnswer(let status, _):
            "The answer with status \(status) is not of Gatehouse: check the URL, and whether the network has a login page."
        case .storeUnavailable(let reason): reason.description
        case .superseded: "The user signed out or signed in again before the answer arrived, so it has no effect."
        case .untrustedOrigin(let origin):
            """
            No token is sent to \(origin): only to the server's own origin and the trustedOrigins of the client, by \
            HTTPS or on this device.
            """
        case .cancelled: "The task was cancelled."
        }
    }
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension URLError.Code {
    /// Whether the same request has the same outcome until someone changes the app, the device or the server. A network
    /// that breaks off during the handshake can cause `secureConnectionFailed`.
    var isLasting: Bool {
        switch self {
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
            .appTransportSecurityRequiresSecureConnection, .badURL, .unsupportedURL:
            true
        default: false
        }
    }

    /// What is wrong, and what to do.
    var explanation: String {
        switch self {
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot:
            """
            The server's certificate is not trusted: have the device trust its authority, and check that the \
            certificate is for the host of the URL.
            """
        case .serverCertificateHasBadDate:
            "The server's certificate has expired: renew it, and check the clock of the device."
        case .serverCertificateNotYetValid:
            "The server's certificate is not valid yet: check the clock of the device."
        case .clientCertificateRejected, .clientCertificateRequired:
            "The server demands a certificate of the client, which the library does not have."
        case .secureConnectionFailed:
            """
            No TLS connection to the server can be made: check its certificate and TLS versions, and that the port of \
            the URL serves HTTPS.
            """
        case .appTransportSecurityRequiresSecureConnection:
            "App Transport Security does not allow this URL: use HTTPS, or NSAllowsLocalNetworking for development."
        case .badURL, .unsupportedURL: "The URL cannot be used: check the one that the client was made with."
        case .cannotFindHost, .dnsLookupFailed:
            "The name of the server is not resolved: check the host of the URL, and the network."
        case .cannotConnectToHost:
            """
            The connection to the server was refused, or the host cannot be reached: check that the server runs, and \
            the port of the URL.
            """
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff, .callIsActive:
            "The device is offline."
        case .timedOut: "The server did not answer in time."
        case .networkConnectionLost: "The connection to the server was lost before its answer."
        case .cancelled: "The system cancelled the request."
        default: "The server did not answer."
        }
    }
}
