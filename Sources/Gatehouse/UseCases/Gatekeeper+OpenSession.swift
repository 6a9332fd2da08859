extension Gatekeeper {
    /// Finds or creates the user of an identity that has been proven, and opens a session for them.
    ///
    /// - Parameter task: what is to be asked of Apple for them.
    func signIn(
        _ identity: Identity, nickname: String?, redeeming redemption: Redemption? = nil, clientID: String,
        from device: Device, now: Timestamp,
        asking task: @escaping (UserID) -> AppleTask? = { _ in nil }
    ) throws(Refusal) -> SignedIn {
        let login = Login(
            identity: identity, nickname: nickname, redemption: redemption, moment: now,
            identityHashes: hasher.hashes(of: identity))
        var opened: (session: Session, refreshToken: String, isOfNewUser: Bool)?
        let outcome = try asking { () throws(StoreFailure) in
            try store.record(login, limit: policy.sessionsPerUser) { known in
                let user = known ?? newUser(login, now: now)
                let (session, refreshToken) = newSession(
                    of: user, by: identity.provider, clientID: clientID, from: device, now: now)
                opened = (session, refreshToken, isOfNewUser: known == nil)
                return NewSession(of: user, session, task: task(user.id))
            }
        }
        let user = try recorded(outcome, by: identity.provider, from: device, now: now)
        guard let (session, refreshToken, isNew) = opened else { preconditionFailure("what was recorded was opened") }
        notice(.recognised(user.id, session.id))
        notice(.signedIn(session.provider, isNewUser: isNew))
        let pair = try pair(refreshToken, of: user, in: session, now: now)
        return SignedIn(tokens: pair, user: user, isNewUser: isNew)
    }

    private func recorded(
        _ outcome: LoginOutcome, by provider: Provider, from device: Device, now: Timestamp
    ) throws(Refusal) -> User {
        switch outcome {
        case .recorded(let user, let ended):
            forget(ended, at: now)
            if !ended.isEmpty { notice(.sessionsEnded(.sessionLimit, count: ended.count)) }
            return user
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce)
        case .inactive(let user):
            noteDisabled(user.id, .loginRefused, by: provider, from: device)
            throw .userDisabled
        case .barred(let user):
            noteDisabled(user, .loginRefused, by: provider, from: device)
            throw .userDisabled
        }
    }

    private func newUser(_ login: Login, now: Timestamp) -> User {
        let id = Identifier.make("user", at: now, random: world.random(Identifier.randomBytes))
        return User(
            id: UserID(id), email: login.identity.email, emailVerified: login.identity.hasVerifiedEmail,
            nickname: login.nickname, createdAt: now)
    }

    private func newSession(
        of user: User, by provider: Provider, clientID: String, from device: Device, now: Timestamp
    ) -> (Session, refreshToken: String) {
        let id = SessionID(Identifier.make("sess", at: now, random: world.random(Identifier.randomBytes)))
        let (token, text) = issue(generation: 1, of: id, for: user.id, sessionCreatedAt: now, now: now)
        let session = Session(
            id: id, userID: user.id, provider: provider, clientID: clientID, device: device, createdAt: now,
            token: token)
        return (session, text)
    }
}
