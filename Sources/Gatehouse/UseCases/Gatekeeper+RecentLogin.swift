extension Gatekeeper {
    /// Refuses what changes or ends an account where the caller's login is too old (RFC 9470). A fresh identity token of one
    /// of the caller's own accounts counts as a login.
    func demandRecentLogin(of caller: Caller, or credential: AppleCredential?, now: Timestamp) throws(Refusal) {
        guard let limit = policy.sensitiveMaxAge, caller.authenticatedAt < now - limit else { return }
        guard let credential else { throw .loginTooOld(limit: limit) }
        let proof = try prove(AppleLogin(credential: credential), now: now)
        guard proof.issuedAt >= now - limit else { throw .loginTooOld(limit: limit) }
        let outcome = try asking { () throws(StoreFailure) in
            try store.redeem(proof.redemption, proving: proof.identity, of: caller.userID)
        }
        switch outcome {
        case .accepted: return
        case .otherUser: throw .loginTooOld(limit: limit)
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce)
        }
    }

    /// The same, where the identity token is that of the request itself, which uses it up.
    func demandRecentLogin(of caller: Caller, or proof: AppleProof, now: Timestamp) throws(Refusal) {
        guard let limit = policy.sensitiveMaxAge, caller.authenticatedAt < now - limit else { return }
        let accounts = try accounts(of: caller)
        let isOwn = accounts.contains { $0.provider == .apple && $0.subject == proof.identity.subject }
        guard isOwn, proof.issuedAt >= now - limit else { throw .loginTooOld(limit: limit) }
    }
}
