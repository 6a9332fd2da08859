extension Gatekeeper {
    /// Two devices may bring the same new identity at once; one creates the user, the other then finds it.
    private static let attempts = 4

    /// Finds or creates the user of an identity that has been proven, and opens a session for them.
    ///
    /// - Parameter adding: what else is to be recorded with it.
    func signIn(
        _ identity: Identity, nickname: String?, clientID: String, from device: Device, now: Timestamp,
        adding: (inout NewSession) -> Void = { _ in }
    ) throws(Refusal) -> SignedIn {
        for _ in 0..<Self.attempts {
            let known = try asking { () throws(StoreFailure) in try store.user(of: identity) }
            if let known, known.status != .active {
                noteDisabled(known, .loginRefused, by: identity.provider, from: device)
                throw .userDisabled
            }
            let user = known ?? newUser(of: identity, nickname: nickname, now: now)
            let (session, refreshToken) = newSession(
                of: user, by: identity.provider, clientID: clientID, from: device, now: now)
            var login = NewSession(
                session: session, identity: identity, nickname: nickname, newUser: known == nil ? user : nil)
            adding(&login)
            guard let recorded = try record(login) else { continue }
            notice(.recognised(recorded.id, session.id))
            notice(.signedIn(identity.provider, isNewUser: known == nil))
            let pair = try pair(refreshToken, of: recorded, in: session, now: now)
            return SignedIn(tokens: pair, user: recorded, isNewUser: known == nil)
        }
        throw .storageUnavailable
    }

    /// Nil where somebody else was faster and the decision has to be made again.
    private func record(_ login: NewSession) throws(Refusal) -> User? {
        let outcome = try asking { () throws(StoreFailure) in try store.record(login) }
        switch outcome {
        case .recorded(let user): return user
        case .outdated: return nil
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce)
        }
    }

    private func newUser(of identity: Identity, nickname: String?, now: Timestamp) -> User {
        let id = Identifier.make("user", at: now, random: world.random(Identifier.randomBytes))
        return User(id: UserID(id), email: identity.email, nickname: nickname, createdAt: now)
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
