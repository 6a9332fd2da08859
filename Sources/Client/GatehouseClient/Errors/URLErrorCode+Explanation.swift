import Foundation

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
