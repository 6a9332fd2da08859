extension Gatekeeper {
    /// Finds or creates the user of an identity that has been proven, and opens a session for them.
    ///
    /// - Parameter task: what is to be asked of Apple for them.
    func signIn(
        _ login: Login, clientID: String, from device: Device, now: Timestamp,
        asking task: @escaping (UserID) -> AppleTask? = { _ in nil }
    ) throws(Refusal) -> SignedIn {
        var opened: (session: Session, refreshToken: String, isOfNewUser: Bool)?
        let outcome = try asking { () throws(StoreFailure) in
            try store.record(login) { known in
                let user = known ?? newUser(login, now: now)
                let (session, refreshToken) = newSession(
                    of: user, by: login.identity.provider, clientID: clientID, from: device, now: now)
                opened = (session, refreshToken, isOfNewUser: known == nil)
                return NewSession(of: user, session, task: task(user.id))
            }
        }
        let user = try recorded(outcome, by: login.identity.provider, from: device)
        guard let (session, refreshToken, isNew) = opened else { preconditionFailure("what was recorded was opened") }
        notice(.recognised(user.id, session.id))
        notice(.signedIn(session.provider, isNewUser: isNew))
        let pair = try pair(refreshToken, of: user, in: session, now: now)
        return SignedIn(tokens: pair, user: user, isNewUser: isNew)
    }

    private func recorded(
        _ outcome: LoginOutcome, by provider: Provider, from device: Device
    ) throws(Refusal) -> User {
        switch outcome {
        case .recorded(let user): return user
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce)
        case .inactive(let user):
            noteDisabled(user, .loginRefused, by: provider, from: device)
            throw .userDisabled
        }
    }

    private func newUser(_ login: Login, now: Timestamp) -> User {
        let id = Identifier.make("user", at: now, random: world.random(Identifier.randomBytes))
        return User(id: UserID(id), email: login.identity.email, nickname: login.nickname, createdAt: now)
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
