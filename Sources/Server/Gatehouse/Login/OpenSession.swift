/// The outcome of a login.
package struct LoginResult: Sendable {
    package let tokens: TokenPair
    package let user: User
    package let isNewUser: Bool

    package init(tokens: TokenPair, user: User, isNewUser: Bool) {
        self.tokens = tokens
        self.user = user
        self.isNewUser = isNewUser
    }
}

extension AuthService {
    /// Finds or creates the user of a proven identity, and opens a session.
    ///
    /// - Parameter task: makes the Apple task that is queued with the login.
    func openSession(
        for identity: Identity, nickname: String?, redeeming redemption: Redemption? = nil, clientID: String,
        from device: Device, now: Timestamp, in context: inout RequestContext,
        queueing task: @escaping (UserID) -> AppleTask? = { _ in nil }
    ) throws(Refusal) -> LoginResult {
        let moment = issueTime(at: now)
        let login = Login(
            identity: identity, nickname: nickname, redemption: redemption, moment: moment,
            identityHashes: hasher.hashes(of: identity))
        var opened: (session: Session, refreshToken: String, isOfNewUser: Bool)?
        let outcome = try store.record(login, limit: policy.sessionsPerUser) { known in
            let user = known ?? newUser(login, now: moment)
            let (session, refreshToken) = newSession(
                of: user, by: identity.provider, clientID: clientID, from: device, now: moment)
            opened = (session, refreshToken, isOfNewUser: known == nil)
            return NewSession(of: user, session, task: task(user.id))
        }
        let user = try user(of: outcome, by: identity.provider, from: device, now: now, requestID: context.id)
        guard let (session, refreshToken, isNew) = opened else {
            preconditionFailure("the store records a login with the session that the closure returns")
        }
        context.identify(user.id, session.id)
        report(.loggedIn(session.provider, isNewUser: isNew), context.id)
        let tokens = try tokenPair(refreshToken, for: user, in: session, now: now)
        return LoginResult(tokens: tokens, user: user, isNewUser: isNew)
    }

    /// Reports a refused login, and returns its refusal.
    func refusedLogin(
        _ refusal: Refusal, by provider: Provider, from device: Device, in context: RequestContext
    ) -> Refusal {
        report(.loginRefused(provider, refusal), context.id)
        auditRefusal(refusal, .loginRefused, by: provider, from: device)
        return refusal
    }

    private func user(
        of outcome: LoginOutcome, by provider: Provider, from device: Device, now: Timestamp, requestID: String
    ) throws(Refusal) -> User {
        switch outcome {
        case .recorded(let user, let ended):
            revocations.insert(ended)
            if !ended.isEmpty { report(.sessionsEnded(.sessionLimit, count: ended.count), requestID) }
            return user
        case .replayed: throw .appleToken(.replayed)
        case .usedNonce: throw .appleToken(.nonce(.challengeUsed))
        case .inactive(let user):
            auditDisabledUser(user.id, .loginRefused, by: provider, from: device)
            throw .userDisabled
        case .barred(let user):
            auditDisabledUser(user, .loginRefused, by: provider, from: device)
            throw .userDisabled
        }
    }

    private func newUser(_ login: Login, now: Timestamp) -> User {
        let id = ULID.make("user", at: now, random: primitives.random(ULID.randomBytes))
        return User(
            id: UserID(id), email: login.identity.email, emailVerified: login.identity.hasVerifiedEmail,
            nickname: login.nickname, createdAt: now)
    }

    private func newSession(
        of user: User, by provider: Provider, clientID: String, from device: Device, now: Timestamp
    ) -> (Session, refreshToken: String) {
        let id = SessionID(ULID.make("sess", at: now, random: primitives.random(ULID.randomBytes)))
        let seed = primitives.random(TokenChain.seedBytes)
        let (token, text) = issueRefreshToken(
            generation: 1, seed: seed, of: id, for: user.id, sessionCreatedAt: now, now: now)
        let session = Session(
            id: id, userID: user.id, provider: provider, clientID: clientID, device: device, createdAt: now,
            token: token, chain: TokenChain(seed: seed))
        return (session, text)
    }
}

// MARK: - What the store records

/// A login to be recorded: the proven identity, and what has to be redeemed for it.
package struct Login: Sendable {
    package let identity: Identity
    /// Fills an empty nickname.
    package let nickname: String?
    package let redemption: Redemption?
    package let moment: Timestamp
    /// The store uses them to recognise an identity that was removed from a disabled user.
    package let identityHashes: [[UInt8]]

    package init(
        identity: Identity, nickname: String?, redemption: Redemption? = nil, moment: Timestamp,
        identityHashes: [[UInt8]] = []
    ) {
        self.identity = identity
        self.nickname = nickname
        self.redemption = redemption
        self.moment = moment
        self.identityHashes = identityHashes
    }
}

/// The session that a login opens, its user, and the Apple task to be queued with it.
package struct NewSession: Sendable {
    package let user: User
    package let session: Session
    package let task: AppleTask?

    package init(of user: User, _ session: Session, task: AppleTask? = nil) {
        self.user = user
        self.session = session
        self.task = task
    }

    package var auditEvent: AuditEvent {
        AuditEvent(
            .login, at: session.createdAt, userID: session.userID, sessionID: session.id, provider: session.provider,
            device: session.device)
    }
}

/// The store's answer to a login.
package enum LoginOutcome: Sendable, Equatable {
    /// The user as they are now, and the sessions that ended because of the session limit.
    case recorded(User, ended: [SessionID])
    /// The identity token has been redeemed before.
    case replayed
    /// The nonce has been redeemed before, with another token.
    case usedNonce
    /// The user of the identity is not active.
    case inactive(User)
    /// The identity belonged to a disabled user and has been removed since.
    case barred(UserID)
}
