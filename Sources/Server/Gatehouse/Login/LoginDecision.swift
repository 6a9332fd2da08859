/// A login to be decided: a proven identity, the nickname for its user, and the redemption of its token.
package struct Login: Sendable {
    package let identity: Identity
    /// Fills an empty nickname.
    package let nickname: String?
    package let redemption: Redemption?
    package let passkey: PasskeyProof?
    /// Nil unless a guest signs in.
    package let guest: GuestLimits?
    /// The key to which the session will be bound; nil for none.
    package let key: ProvenKey?
    /// How long the user of a number may have been away; nil for any time.
    package let staleAfter: Duration?
    package let moment: Timestamp
    package let userAgent: String?
    /// Whether the owner is told of a new device. Events tell others in every case.
    package let tellsOwner: Bool
    private let hasher: any IdentityHasher

    package init(
        identity: Identity, nickname: String?, redemption: Redemption? = nil, passkey: PasskeyProof? = nil,
        guest: GuestLimits? = nil, key: ProvenKey? = nil, staleAfter: Duration? = nil, moment: Timestamp,
        userAgent: String? = nil, tellsOwner: Bool = false,
        hasher: any IdentityHasher
    ) {
        self.identity = identity
        self.nickname = nickname
        self.redemption = redemption
        self.passkey = passkey
        self.guest = guest
        self.key = key
        self.staleAfter = staleAfter
        self.moment = moment
        self.userAgent = userAgent
        self.tellsOwner = tellsOwner
        self.hasher = hasher
    }

    /// The keyed hashes that recognise an identity which was removed from a disabled user. Needed only if the identity has
    /// no account.
    package var identityHashes: [[UInt8]] { hasher.hashes(of: identity) }
}

/// What the store knows about an identity that signs in or is linked. Nothing of it changes until the decision is written.
package struct IdentityFacts: Sendable {
    /// The account of the identity, and its user.
    package let known: KnownIdentity?
    /// The user who has the identity's union subject, if it is another one than the user of its subject.
    package let otherUser: UserID?
    /// The disabled user from whom the identity was removed, if it has no account.
    package let barredFrom: UserID?
    package let use: Redemption.Use
    /// Whether another login has used the proof of the key.
    package let hasUsedProof: Bool
    /// The row with the id of the login's passkey; of a used one only if its account is that of the identity.
    package let passkey: Passkey?
    /// When the user last signed in or refreshed, if `Login.staleAfter` is set.
    package let lastUse: Timestamp?
    /// The accounts of the user to whom the identity is linked, the oldest first; or of the one who signs in, if
    /// `Login.mayChangeAddress(of:)` or `Login.staleAfter` is set.
    package let accounts: [LinkedAccount]
    /// A quota that a new guest would exceed.
    package let exhausted: CodeFacts.Exhausted?

    package init(
        known: KnownIdentity? = nil, otherUser: UserID? = nil, barredFrom: UserID? = nil, use: Redemption.Use = .first,
        hasUsedProof: Bool = false, passkey: Passkey? = nil, lastUse: Timestamp? = nil,
        accounts: [LinkedAccount] = [], exhausted: CodeFacts.Exhausted? = nil
    ) {
        self.known = known
        self.otherUser = otherUser
        self.barredFrom = barredFrom
        self.use = use
        self.hasUsedProof = hasUsedProof
        self.passkey = passkey
        self.lastUse = lastUse
        self.accounts = accounts
        self.exhausted = exhausted
    }
}

package enum LoginDecision: Sendable {
    case accept(AcceptedLogin)
    case refuse(LoginRefusal)
}

package enum LoginRefusal: Sendable, Equatable {
    case replayed
    case usedNonce
    case usedProof
    /// The subjects of the identity belong to two users: an operator has to decide which one is right.
    case twoUsers(UserID, UserID)
    /// The user of the identity is not active.
    case inactive(User)
    /// The identity belonged to a disabled user and has been removed since. The store bars this login's other subject as
    /// well: after a transfer of the app, it may be the first login that contains it.
    case barred(UserID)
    /// The number may have another owner by now, and the user has another way to sign in.
    case staleNumber(UserID)
    /// A user has the new passkey already.
    case knownPasskey
    /// The passkey, or its account, was removed.
    case passkeyRemoved(credentialID: [UInt8])
    case passkeyCounter(of: UserID?)
    case tooManyGuests(CodeLimitReached)
}

/// What a login writes: all of it, in one transaction.
package struct AcceptedLogin: Sendable {
    /// As they are after the login.
    package let user: User
    package let isNewUser: Bool
    /// Whether another active user has proven the address that this login has proven; only known of a new user. The store
    /// looks it up while it writes the login. No rule depends on it.
    package var isKnownAddress = false
    /// The account of the identity, if it is new or has changed.
    package let account: LinkedAccount?
    package let session: Session
    /// The text of the session's token. It is not stored.
    package let refreshToken: String
    package let task: AppleTask?
    /// The user was away for long, and has no other way to sign in than this number.
    package let usesStaleNumber: Bool

    /// - Parameters:
    ///   - user: the result of `Login.user(on:)`, or a new one.
    ///   - task: queued with the login, unless this is a repeat: an authorization code can be exchanged once.
    package init(
        _ login: Login, of user: User, on facts: IdentityFacts, opening session: Session, refreshToken: String,
        queueing task: AppleTask?
    ) {
        self.user = user
        isNewUser = facts.known == nil
        account =
            if login.guest != nil {
                nil
            } else if let known = facts.known {
                known.account.updated(from: login.identity)
            } else {
                LinkedAccount(login.identity, linkedAt: login.moment)
            }
        (self.session, self.refreshToken) = (session, refreshToken)
        usesStaleNumber = login.isStale(on: facts)
        self.task = facts.use == .repeated ? nil : task
    }

    package var auditEntry: AuditEntry {
        AuditEntry(
            usesStaleNumber ? .staleNumberUsed : .login, at: session.createdAt, userID: user.id, sessionID: session.id,
            provider: session.provider,
            device: session.device)
    }

    /// What a known user is told.
    package func notices(to former: User, onNewDevice: Bool) -> [OwnerNotice] {
        let isReaddressed = former.email.map { user.email?.isSameAddress(as: $0) != true } ?? false
        let device: OwnerChange? = usesStaleNumber ? .staleNumberUsed : onNewDevice ? .newDevice : nil
        let changes = [isReaddressed ? .readdressed : nil, device].compactMap(\.self)
        return changes.flatMap { former.notices(of: $0, at: session.createdAt) }
    }
}

// MARK: - The rules

extension AuthService {
    /// An identity without an account gets a new user.
    func decide(
        _ login: Login, on facts: IdentityFacts, proven: ProvenIdentity, from device: Device, now: Timestamp
    ) -> LoginDecision {
        if let refusal = login.refusal(on: facts) { return .refuse(refusal) }
        let user = login.user(on: facts) ?? newUser(login)
        let (session, refreshToken) = newSession(
            of: user, by: login.identity.provider, clientID: proven.clientID, boundTo: login.key?.thumbprint,
            method: proven.method, from: device, now: login.moment)
        return .accept(
            AcceptedLogin(
                login, of: user, on: facts, opening: session, refreshToken: refreshToken,
                queueing: exchangeTask(for: proven.laterCode, of: user.id, clientID: proven.clientID, now: now)))
    }

    private func newUser(_ login: Login) -> User {
        let id = ULID.make("user", at: login.moment, random: platform.random(ULID.randomBytes))
        return User(
            id: UserID(id), email: login.identity.email, emailVerified: login.identity.hasVerifiedEmail,
            phone: login.identity.provider == .phone ? login.identity.subject : nil, nickname: login.nickname,
            createdAt: login.moment, guestKey: login.guest == nil ? nil : login.identity.subject)
    }

    /// - Parameter key: the thumbprint of the key to which the session is bound.
    func newSession(
        of user: User, by provider: Provider, clientID: String, boundTo key: String?, method: LoginMethod?,
        from device: Device, now: Timestamp
    ) -> (Session, refreshToken: String) {
        let id = SessionID(ULID.make("sess", at: now, random: platform.random(ULID.randomBytes)))
        let seed = platform.random(TokenChain.seedBytes)
        let (token, text) = issueRefreshToken(
            generation: 1, seed: seed, of: id, for: user.id, sessionCreatedAt: now, now: now)
        let session = Session(
            id: id, userID: user.id, provider: provider, clientID: clientID, device: device, createdAt: now,
            token: token, chain: TokenChain(seed: seed), keyThumbprint: key, method: method)
        return (session, text)
    }
}

extension Login {
    /// Nil when the login is accepted.
    package func refusal(on facts: IdentityFacts) -> LoginRefusal? {
        if let user = facts.known?.user {
            if let other = facts.otherUser { return .twoUsers(user.id, other) }
            if user.status != .active { return .inactive(user) }
        }
        if facts.known == nil, let user = facts.barredFrom { return .barred(user) }
        if facts.hasUsedProof { return .usedProof }
        if let exhausted = facts.exhausted { return .tooManyGuests(exhausted.reached(at: moment)) }
        if facts.use == .first, let refusal = passkeyRefusal(on: facts) { return refusal }
        if let user = facts.known?.user, facts.use == .first, facts.accounts.count > 1, isStale(on: facts) {
            return .staleNumber(user.id)
        }
        return switch facts.use {
        case .replayed: .replayed
        case .usedNonce: .usedNonce
        case .first, .repeated: nil
        }
    }

    /// The known user after this login, which fills empty fields.
    package func user(on facts: IdentityFacts) -> User? {
        guard let (account, user) = facts.known else { return nil }
        var changed = user
        changed.nickname = user.nickname ?? nickname
        guard let address = identity.email, !account.isFormer(identity) else { return changed }
        if user.email?.isSameAddress(as: address) == true {
            changed.emailVerified = identity.emailVerified ?? user.emailVerified
        } else if let current = user.email, !account.isSource(of: current, among: facts.accounts) {
            return changed
        } else {
            changed.emailVerified = identity.hasVerifiedEmail
        }
        changed.email = address
        return changed
    }

    func isStale(on facts: IdentityFacts) -> Bool {
        Timestamp.isStale(lastUse: facts.lastUse, after: staleAfter, now: moment)
    }

    /// Whether the identity's address differs from the user's. The user's then changes if it came from this account.
    package func mayChangeAddress(of user: User) -> Bool {
        guard let address = identity.email, let current = user.email else { return false }
        return !current.isSameAddress(as: address)
    }
}
