extension AuthService {
    /// The caller's ways to log in.
    package func accounts(of caller: Caller) throws(Refusal) -> [LinkedAccount] {
        try store.accounts(of: caller.userID)
    }

    /// Links an Apple account to the caller. Email addresses play no part in it.
    package func linkApple(
        _ login: AppleLogin, to caller: Caller, from device: Device, requestID: String
    ) throws(Refusal) {
        let now = primitives.now()
        let proof = try verify(login, now: now, requestID: requestID)
        try requireRecentLogin(of: caller, or: proof, now: now)
        let event = AuditEvent(
            .accountLinked, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: .apple,
            device: device)
        let task = exchangeTask(
            for: login.credential.authorizationCode, of: caller.userID, clientID: proof.clientID, now: now)
        let link = NewLink(
            identity: proof.identity, user: caller.userID, redemption: proof.redemption, task: task, event: event,
            hasher: hasher)
        switch try store.record(link) {
        case .link, .alreadyLinked: return
        case .taken: throw .accountAlreadyLinked
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce(.challengeUsed))
        case .userInactive: throw .userDisabled
        }
    }

    /// Unlinks the caller's Apple account.
    ///
    /// - Parameter credential: proves the login again when it is too old.
    package func unlinkApple(
        from caller: Caller, on device: Device, credential: AppleCredential? = nil, requestID: String
    ) throws(Refusal) {
        let now = primitives.now()
        try requireRecentLogin(of: caller, or: credential, now: now, requestID: requestID)
        let event = AuditEvent(
            .accountUnlinked, at: now, userID: caller.userID, sessionID: caller.sessionID,
            provider: .apple, device: device)
        if case .last = try store.unlink(.apple, of: caller.userID, recording: event) { throw .lastAccount }
    }
}
