import Foundation

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
