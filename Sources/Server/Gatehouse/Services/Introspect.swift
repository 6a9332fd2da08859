extension AuthService {
    /// `iss` and `aud` of access tokens.
    package var tokenIssuer: String { tokens.issuer }
    package var tokenAudience: String { tokens.audience }

    /// The claims of an access token that the guard would accept at this moment, as RFC 7662 means it. Nil for every other
    /// text. A failure of the store is thrown: a token is never called ended because it could not be looked up.
    ///
    /// A bound token needs no proof here. The service compares the key of its client's proof with the claims.
    ///
    /// - Parameter admitsGuests: whether the service lets guests pass.
    package func introspect(
        _ token: String, admitsGuests: Bool = false, in context: inout RequestContext
    ) throws(Refusal) -> AccessClaims? {
        do throws(Refusal) { return try activeClaims(of: token, admitsGuests: admitsGuests, in: &context) } catch {
            if case .storageUnavailable = error { throw error }
            return nil
        }
    }

    /// The same steps as in `authenticate`, which every guarded request runs.
    private func activeClaims(
        of token: String, admitsGuests: Bool, in context: inout RequestContext
    ) throws(Refusal) -> AccessClaims {
        let now = platform.now()
        var claims = try tokens.readAccessClaims(token, now: now)
        context.identify(claims.caller.userID, claims.caller.sessionID)
        try requireActive(&claims.caller)
        guard admitsGuests || !claims.caller.isGuest else { throw .guest }
        confirm(claims.caller, at: now)
        try requirePhone(of: claims.caller)
        return claims
    }
}
