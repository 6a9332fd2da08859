extension Gatekeeper {
    /// The caller's ways of signing in.
    package func accounts(of caller: Caller) throws(Refusal) -> [LinkedAccount] {
        try asking { () throws(StoreFailure) in try store.accounts(of: caller.userID) }
    }

    /// Gives the caller an identity of Apple's as another way of signing in. Nobody's email is looked at.
    package func linkApple(_ login: AppleLogin, to caller: Caller, from device: Device) throws(Refusal) {
        let now = world.now()
        let proof = try prove(login, now: now)
        try demandRecentLogin(of: caller, or: proof, now: now)
        let event = AuditEvent(
            .accountLinked, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: .apple,
            device: device)
        let task = exchange(
            login.credential.authorizationCode, of: caller.userID, for: proof.clientID, now: now)
        let outcome = try asking { () throws(StoreFailure) in
            try store.link(
                proof.identity, to: caller.userID, redeeming: proof.redemption,
                identityHashes: hasher.hashes(of: proof.identity), asking: task, noting: event)
        }
        switch outcome {
        case .linked: return
        case .taken: throw .accountAlreadyLinked
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce)
        case .outdated: throw .userDisabled
        }
    }

    /// Takes Apple away from the caller's ways of signing in.
    ///
    /// - Parameter credential: proves the login anew where it is too old.
    package func unlinkApple(
        from caller: Caller, on device: Device, credential: AppleCredential? = nil
    ) throws(Refusal) {
        let now = world.now()
        try demandRecentLogin(of: caller, or: credential, now: now)
        let event = AuditEvent(
            .accountUnlinked, at: now, userID: caller.userID, sessionID: caller.sessionID,
            provider: .apple, device: device)
        let outcome = try asking { () throws(StoreFailure) in
            try store.unlink(.apple, of: caller.userID, noting: event)
        }
        if outcome == .last { throw .lastAccount }
    }
}
