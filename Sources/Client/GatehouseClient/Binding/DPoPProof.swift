import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The proof that a request comes from the device of the session (RFC 9449, section 4.2). It is for one request.
struct DPoPProof {
    private struct Header: Encodable {
        struct Key: Encodable {
            let crv = "P-256", kty = "EC"
            let x, y: String
        }

        let alg = "ES256", typ = "dpop+jwt"
        let jwk: Key
    }

    private struct Claims: Encodable {
        let ath: String?
        let htm: String
        let htu: String
        let iat: Int
        let jti: String
        let nonce: String?
    }

    private let claims: Claims

    /// - Parameters:
    ///   - tokenHash: the SHA-256 hash of the access token that is sent with the request.
    ///   - nonce: the one that the server has given last.
    init(_ request: URLRequest, tokenHash: Data?, nonce: String?, date: Date) {
        claims = Claims(
            ath: tokenHash?.base64URL, htm: request.httpMethod ?? "GET", htu: Self.target(request.url),
            iat: Int(date.timeIntervalSince1970.rounded(.down)), jti: UUID().uuidString, nonce: nonce)
    }

    func signed(with key: any DeviceKey) throws(StoreUnavailable) -> String {
        let point = key.publicKey
        let header = Header(jwk: .init(x: point.prefix(32).base64URL, y: point.suffix(32).base64URL))
        let input = "\(Self.part(header)).\(Self.part(claims))"
        return "\(input).\(try key.signature(for: Data(input.utf8)).base64URL)"
    }

    private static func part(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return ((try? encoder.encode(value)) ?? Data()).base64URL
    }

    /// The URL without query and fragment, in the form in which the server sees it.
    static func target(_ url: URL?) -> String {
        guard let url, var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
        (parts.query, parts.fragment, parts.user, parts.password) = (nil, nil, nil, nil)
        parts.scheme = parts.scheme?.lowercased()
        parts.encodedHost = parts.encodedHost?.lowercased()
        if let scheme = parts.scheme, parts.port == Origin.defaultPorts[scheme] { parts.port = nil }
        if parts.percentEncodedPath.isEmpty { parts.percentEncodedPath = "/" }
        return parts.string ?? ""
    }
}

extension Data {
    /// base64url without padding (RFC 7515, section 2).
    var base64URL: String {
        base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }
}
