extension Gatekeeper {
    /// Two devices may bring the same new identity at once; one creates the user, the other then finds it.
    private static let attempts = 4

    /// Finds or creates the user of an identity that has been proven, and opens a session for them.
    func signIn(
        _ identity: Identity, nickname: String?, clientID: String, from device: Device, now: Timestamp
    ) throws(Refusal) -> SignedIn {
        for _ in 0..<Self.attempts {
            let known = try asking { () throws(StoreFailure) in
                try store.user(provider: identity.provider, subject: identity.subject)
            }
            if let known, known.status != .active {
                noteDisabled(known, .loginRefused, by: identity.provider, from: device)
                throw .userDisabled
            }
            let user = known ?? newUser(of: identity, nickname: nickname, now: now)
            let (session, refreshToken) = newSession(
                of: user, by: identity.provider, clientID: clientID, from: device, now: now)
            let login = NewSession(session: session, identity: identity, nickname: nickname)
            guard let recorded = try record(login, of: user, isNew: known == nil) else { continue }
            notice(.signedIn(identity.provider, isNewUser: known == nil))
            let pair = try pair(refreshToken, of: recorded, in: session, now: now)
            return SignedIn(tokens: pair, user: recorded, isNewUser: known == nil)
        }
        throw .storageUnavailable
    }

    /// Nil where somebody else was faster and the decision has to be made again.
    private func record(_ login: NewSession, of user: User, isNew: Bool) throws(Refusal) -> User? {
        try asking { () throws(StoreFailure) in
            guard isNew else { return try store.add(login) }
            return try store.create(user, with: login) ? user : nil
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
