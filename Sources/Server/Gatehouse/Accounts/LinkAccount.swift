extension AuthService {
    /// The caller's ways to log in.
    package func accounts(of caller: Caller) throws(Refusal) -> [LinkedAccount] {
        try store.accounts(of: caller.userID)
    }

    /// Links an account to the caller. Email addresses play no part in it.
    package func link(
        _ login: IdentityLogin, to caller: Caller, from device: Device, requestID: String
    ) throws(Refusal) {
        let now = primitives.now()
        let proven = try verify(login, now: now, requestID: requestID)
        try requireRecentLogin(of: caller, or: proven, now: now)
        try link(proven, to: caller, from: device, now: now)
    }

    /// Links what was proven to the caller.
    ///
    /// - Parameter replaces: whether it takes the place of the account that the caller has at the provider.
    func link(
        _ proven: ProvenIdentity, replaces: Bool = false, to caller: Caller, from device: Device, now: Timestamp
    ) throws(Refusal) {
        let provider = proven.identity.provider
        let event = AuditEvent(
            .accountLinked, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: provider,
            device: device)
        let link = NewLink(
            identity: proven.identity, user: caller.userID, redemption: proven.redemption,
            task: exchangeTask(for: proven.laterCode, of: caller.userID, clientID: proven.clientID, now: now),
            replaces: replaces, event: event, hasher: hasher)
        switch try store.record(link) {
        case .link, .replace, .alreadyLinked: return
        case .taken(let conflict): throw .accountAlreadyLinked(conflict)
        case .replayed: throw .replayed(by: provider)
        case .usedNonce: throw .identity(.nonce(.challengeUsed), by: provider)
        case .userInactive: throw .userDisabled
        }
    }

    /// Unlinks the caller's account at a provider, and ends the sessions that it opened. The caller's own goes on, because
    /// its user has just shown that they want to stay signed in another way.
    ///
    /// - Parameter login: proves the login again when it is too old.
    package func unlink(
        _ provider: Provider, from caller: Caller, on device: Device, provenBy login: IdentityLogin? = nil,
        requestID: String
    ) throws(Refusal) {
        let now = primitives.now()
        // Unlinking and binding again is a change as well.
        if provider.isProvenByCode {
            try requireLoginForChange(of: caller, now: now)
        } else {
            try requireRecentLogin(of: caller, or: login, now: now, requestID: requestID)
        }
        let event = AuditEvent(
            .accountUnlinked, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: provider,
            device: device)
        let (decision, ended) = try store.unlink(provider, of: caller.userID, recording: event)
        if case .last = decision { throw .lastAccount }
        announce(ended, requestID: requestID)
        // The guard refuses from the next request on. After a failure, the log is read within a second.
        if provider == .phone { try? revocations.catchUp() }
    }
}
