extension AuthService {
    /// Refuses a request that changes or ends an account when the caller's login is too weak or too old (RFC 9470). A fresh
    /// credential of a provider for one of the caller's own accounts counts as a login, and not as a strong one.
    ///
    /// A guest has nothing to log in by again: the session is all that there is, and what binds it protects it.
    func requireRecentLogin(
        of caller: Caller, or login: IdentityLogin?, now: Timestamp, requestID: String
    ) throws(Refusal) {
        if caller.isGuest { return }
        try requireStrength(of: caller)
        guard let limit = exceededLimit(caller, now: now) else { return }
        guard let login else { throw .loginTooOld(limit: limit) }
        let proven = try verify(login, now: now, requestID: requestID)
        guard proven.issuedAt >= now - limit else { throw .loginTooOld(limit: limit) }
        switch try store.redeem(proven.redemption, proving: proven.identity, of: caller.userID) {
        case nil: throw .loginTooOld(limit: limit)
        case .first, .repeated: return
        case .replayed: throw .identity(.replayed, by: login.provider)
        case .usedNonce: throw .identity(.nonce(.challengeUsed), by: login.provider)
        }
    }

    /// The same for a request that redeems the identity token itself, such as linking an account.
    func requireRecentLogin(of caller: Caller, or proven: ProvenIdentity, now: Timestamp) throws(Refusal) {
        if caller.isGuest { return }
        try requireStrength(of: caller, toBind: proven.identity.provider)
        guard let limit = exceededLimit(caller, now: now) else { return }
        let isOwn = try accounts(of: caller).contains {
            $0.provider == proven.identity.provider && $0.subject == proven.identity.subject
        }
        guard isOwn, proven.issuedAt >= now - limit else { throw .loginTooOld(limit: limit) }
    }

    /// Refuses a caller whose login proves less than the settings demand for changes of the account.
    ///
    /// - Parameter provider: of an account to link. A number that the user cannot do without is bound by any login, and so is
    ///   the first passkey, without which no login is strong. A guest has no account to protect yet.
    func requireStrength(of caller: Caller, toBind provider: Provider? = nil) throws(Refusal) {
        if caller.isGuest { return }
        let demanded = max(policy.sensitiveStrength, try strengthOfAdministrator(caller))
        guard caller.strength < demanded, !(provider == .phone && caller.needsPhone) else { return }
        throw .insufficientAuthentication(demanded)
    }

    /// The caller as the database has them: a guest may have become a user on another node since the request was admitted.
    /// Needed where the change's own transaction does not check it.
    func asStored(_ caller: Caller) throws(Refusal) -> Caller {
        var stored = caller
        if caller.isGuest { stored.isGuest = try currentUser(caller).isGuest }
        return stored
    }

    /// Refuses a caller whose login is older than this. No proof takes the place of a login.
    func requireLogin(of caller: Caller, within limit: Duration, now: Timestamp) throws(Refusal) {
        guard caller.authenticatedAt >= now - limit else { throw .loginTooOld(limit: limit) }
    }

    /// The maximum age of a login, if the caller's login is older; nil otherwise.
    private func exceededLimit(_ caller: Caller, now: Timestamp) -> Duration? {
        guard let limit = policy.sensitiveMaxAge, caller.authenticatedAt < now - limit else { return nil }
        return limit
    }
}
