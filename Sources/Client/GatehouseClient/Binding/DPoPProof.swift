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

/// A key pair of this device on the curve P-256, which signs with ECDSA and SHA-256 (ES256).
///
/// A session that is bound to it cannot be used on another device, so the private key must be in no backup of another
/// device and in no synchronisation. Best, it cannot be read at all, as in the Secure Enclave.
public protocol DeviceKey: Sendable {
    /// The public key: the coordinates x and y, 32 bytes each.
    var publicKey: Data { get }

    /// The signature of the message: R and S, 32 bytes each. The client calls it on no actor, because it may take some
    /// milliseconds.
    ///
    /// Throws ``StoreUnavailable/unreadable`` only if the key can never sign again: that ends the session.
    func signature(for message: Data) throws(StoreUnavailable) -> Data
}

/// Where the client keeps the keys that sessions are bound to.
///
/// Processes that share a ``SessionStore`` need the same keys. The client names each key in the session store before
/// it makes it, so that no key is left over when a process is killed.
public protocol DeviceKeyStore: Sendable {
    /// Makes and keeps a key. If another process has already made a key of this name, returns that key.
    func makeKey(_ name: String) throws(StoreUnavailable) -> any DeviceKey

    /// Nil if there is no key of this name. That, and ``StoreUnavailable/unreadable``, ends the session; any other
    /// error does not, such as on a device that has not been unlocked yet.
    func key(_ name: String) throws(StoreUnavailable) -> (any DeviceKey)?

    /// Succeeds also if there is no key of this name.
    func deleteKey(_ name: String) throws(StoreUnavailable)

    /// The SHA-256 hash of the data. On Apple's platforms, CryptoKit is the default.
    func sha256(_ data: Data) -> Data
}

/// Whether a login binds its session to a key of this device (RFC 9449, DPoP): stolen tokens are then worth nothing
/// elsewhere.
public struct SessionBinding: Sendable {
    let keys: (any DeviceKeyStore)?
    let bindsLogins: Bool

    /// With the keys that belong to the session store: ``KeychainSessionStore`` has some. With a store that has none,
    /// sessions are not bound.
    public static let automatic = SessionBinding(keys: nil, bindsLogins: true)

    /// Logins do not bind their sessions. A session that is bound stays so, and keeps its key.
    public static let off = SessionBinding(keys: nil, bindsLogins: false)

    /// With these keys.
    ///
    /// - Parameter bindsLogins: false is ``off`` for an app that has bound sessions to these keys before.
    public static func keys(_ keys: any DeviceKeyStore, bindsLogins: Bool = true) -> SessionBinding {
        SessionBinding(keys: keys, bindsLogins: bindsLogins)
    }
}

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// For code that sends its own requests.
extension GatehouseClient {
    /// The headers that authorise a request of the user: `Authorization` with the access token, and for a bound session
    /// `DPoP` with a proof. They are for one request with this method and URL, to the server's origin or a trusted one.
    ///
    /// The scheme is `DPoP` with a proof, and `Bearer` without one for an unbound session, and for a trusted origin as
    /// long as no answer 401 from there has demanded a proof.
    ///
    /// - Parameter margin: how long the token must be valid, at most half of its lifetime.
    public func headers(
        for method: String, _ url: URL, validFor margin: Duration = .seconds(60)
    ) async throws(GatehouseError) -> [String: String] {
        try connection.requireTrust(in: url)
        let session = try await currentSession(validFor: margin)
        var request = URLRequest(url: url)
        request.httpMethod = method
        do {
            request = try await connection.authorised(request, session.credentials)
        } catch {
            throw error.isOfLostKey(session.key) ? loseKey(of: session) : error
        }
        // Foundation on Linux spells the names in its own way.
        let headers = ["Authorization", "DPoP"].map { ($0, request.value(forHTTPHeaderField: $0)) }
        return Dictionary(uniqueKeysWithValues: headers).compactMapValues(\.self)
    }

    /// The headers for another attempt, after the answer 401.
    ///
    /// - Parameters:
    ///   - refused: the headers of the request that was refused. Their token is refreshed if it is still the current one.
    ///   - nonce: the header `DPoP-Nonce` of an answer whose `WWW-Authenticate` has `use_dpop_nonce`. With one, the token
    ///     is not refreshed: the server demands the nonce in the proof.
    ///   - challenge: the header `WWW-Authenticate` of the answer. If it demands a proof of a request that had none, the
    ///     token is not refreshed, and this origin gets proofs from then on.
    public func headers(
        for method: String, _ url: URL, replacing refused: [String: String], nonce: String? = nil,
        challenge: String? = nil
    ) async throws(GatehouseError) -> [String: String] {
        let isDemanded =
            cache.session?.key != nil && refused["DPoP"] == nil
            && (nonce != nil || ProofRefusal.isDemand(challenge))
        if isDemanded { connection.prover.demandProofs(of: url) }
        if let nonce {
            connection.prover.keep(nonce: nonce, of: url)
        } else if !isDemanded, let token = refused["Authorization"]?.split(separator: " ").last {
            cache.expire(Token(String(token)))
        }
        return try await headers(for: method, url, validFor: .zero)
    }
}
