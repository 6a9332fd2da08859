extension Gatekeeper {
    /// Refuses what changes or ends an account where the caller's login is too old (RFC 9470). A fresh identity token of one
    /// of the caller's own accounts counts as a login.
    func demandRecentLogin(of caller: Caller, or credential: AppleCredential?, now: Timestamp) throws(Refusal) {
        guard let limit = limitExceeded(by: caller, now: now) else { return }
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
        guard let limit = limitExceeded(by: caller, now: now) else { return }
        let isOwn = try accounts(of: caller).contains {
            $0.provider == proof.identity.provider && $0.subject == proof.identity.subject
        }
        guard isOwn, proof.issuedAt >= now - limit else { throw .loginTooOld(limit: limit) }
    }

    /// The greatest age that a login may have, where the caller's is older.
    private func limitExceeded(by caller: Caller, now: Timestamp) -> Duration? {
        guard let limit = policy.sensitiveMaxAge, caller.authenticatedAt < now - limit else { return nil }
        return limit
    }
}
