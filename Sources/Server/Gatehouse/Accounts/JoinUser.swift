/// Joins a new user, or a guest, to an older user of the same person: a code has proven the older user's address, or a guest
/// has proven any identity of the older user. The identities of the new user move to the older user, and the new user is deleted.
///
/// What is proven says nothing about the caller: it may be an attacker's own. So the request also needs the
/// caller's refresh token, which a thief of an access token does not have.
package struct Join: Sendable {
    /// An older user may have data in other services, which a join would lose. A guest's data is moved by the services, so no
    /// age limits a guest.
    package static let longestAge = Duration.seconds(86_400)

    /// The address, or another identity, which belongs to the older user.
    package let identity: Identity
    package let redemption: Redemption?
    /// The new user, and the session of the request.
    package let caller: UserID
    package let session: SessionID
    /// Of the refresh token that came with the request; nil for none.
    package let refreshTokenHash: [UInt8]?
    package let moment: Timestamp
    package let device: Device
    /// How long the owner of a number may have been away; nil for any time.
    package let staleAfter: Duration?
    /// Of a login that may change an account.
    package let demandedStrength: LoginStrength
    /// Whether the request was admitted as a guest's, of whom less is demanded than of a user.
    package let isOfGuest: Bool

    package init(
        identity: Identity, redemption: Redemption?, caller: UserID, session: SessionID,
        refreshTokenHash: [UInt8]?, moment: Timestamp, device: Device, staleAfter: Duration? = nil,
        demandedStrength: LoginStrength = .single, isOfGuest: Bool = false
    ) {
        self.identity = identity
        self.redemption = redemption
        self.caller = caller
        self.session = session
        self.refreshTokenHash = refreshTokenHash
        self.moment = moment
        self.device = device
        self.staleAfter = staleAfter
        self.demandedStrength = demandedStrength
        self.isOfGuest = isOfGuest
    }
}

/// What the store knows about a join. Nothing of it changes until the decision is written.
package struct JoinFacts: Sendable {
    package struct Party: Sendable {
        package let user: User
        package let accounts: [LinkedAccount]

        package init(user: User, accounts: [LinkedAccount]) {
            (self.user, self.accounts) = (user, accounts)
        }
    }

    /// Nil when there is no such user.
    package let caller: Party?
    /// The sessions of the caller that have not ended.
    package let callersSessions: [Session]
    /// The user who has the address; nil for none.
    package let owner: Party?
    /// The user who has the identity's union subject, if it is another one than the owner.
    package let otherUser: UserID?
    /// When the owner last signed in or refreshed, if `Join.staleAfter` is set.
    package let ownersLastUse: Timestamp?
    package let use: Redemption.Use

    package init(
        caller: Party?, callersSessions: [Session], owner: Party?, otherUser: UserID? = nil,
        ownersLastUse: Timestamp? = nil,
        use: Redemption.Use
    ) {
        self.caller = caller
        self.callersSessions = callersSessions
        self.owner = owner
        self.otherUser = otherUser
        self.ownersLastUse = ownersLastUse
        self.use = use
    }
}

package enum JoinDecision: Sendable {
    case join(AcceptedJoin)
    /// The address belongs to no user, or to the caller: it is linked as any other one.
    case nothingToJoin
    case taken(LinkConflict)
    /// The refresh token is not the current one of the caller's session.
    case supersededToken
    case used
    /// The session of the request has ended, or the user is not active.
    case callerEnded
    /// The number may have another owner by now, and the older user has another way to sign in.
    case staleNumber(UserID)
    /// The guest has become a user since the request was admitted.
    case noGuest
}

/// What a join writes: all of it, in one transaction.
package struct AcceptedJoin: Sendable {
    /// The older user, as they are after it.
    package let user: User
    package let session: Session
    /// The text of the session's token. It is not stored.
    package let refreshToken: String
    package let events: [AuditEntry]
    package let notices: [OwnerNotice]
    /// Nil unless a guest joins. No account moves then, so for the owner it is a login: if the device is new, the owner gets
    /// these notices, and services an event.
    package var noticesOfDevice: [OwnerNotice]?
    /// The account of the identity, if it has changed.
    package var account: LinkedAccount?
    package var task: AppleTask?
}

extension Join {
    /// Nil for a join that is possible.
    func refusal(on facts: JoinFacts, equal: ([UInt8], [UInt8]) -> Bool) -> JoinDecision? {
        guard let caller = facts.caller, caller.user.status == .active,
            let current = facts.callersSessions.first(where: { $0.id == session })?.token
        else { return .callerEnded }
        if isOfGuest, !caller.user.isGuest { return .noGuest }
        guard let owner = facts.owner, owner.user.id != caller.user.id else { return .nothingToJoin }
        guard facts.use == .first else { return .used }
        guard owner.user.status == .active, facts.otherUser == nil, mayBeJoined(owner),
            isNew(caller.user, with: facts.callersSessions), let refreshTokenHash
        else { return .taken(.identity) }
        guard equal(refreshTokenHash, current.hash) else { return .supersededToken }
        if owner.accounts.count > 1, isStale(on: facts) { return .staleNumber(owner.user.id) }
        let providers = Set(owner.accounts.map(\.provider))
        return caller.accounts.contains { providers.contains($0.provider) } ? .taken(.provider) : nil
    }

    /// The code alone does not sign in as an administrator, and it changes no account that demands a strong login of its owner: the
    /// caller's login says nothing about the owner.
    private func mayBeJoined(_ owner: JoinFacts.Party) -> Bool {
        let isGuarded = demandedStrength == .twoFactors && owner.accounts.contains { $0.provider == .passkey }
        return owner.user.role == .user && !isGuarded
    }

    /// All sessions of a guest are of one device, or the guest has but one.
    private func isNew(_ user: User, with sessions: [Session]) -> Bool {
        if user.isGuest { return true }
        return identity.provider.isProvenByCode && user.role == .user && user.createdAt >= moment - Self.longestAge
            && sessions.map(\.id) == [session]
    }

    func isStale(on facts: JoinFacts) -> Bool {
        Timestamp.isStale(lastUse: facts.ownersLastUse, after: staleAfter, now: moment)
    }

    /// Who has signed in as whom, and what moved.
    func events(
        of caller: JoinFacts.Party, joining owner: User, in session: Session, isStale: Bool
    ) -> [AuditEntry] {
        let moved = caller.accounts.map { account in
            AuditEntry(
                .accountLinked, at: moment, userID: owner.id, sessionID: session.id, provider: account.provider,
                device: device, detail: "joined")
        }
        return moved + [
            AuditEntry(.userDeleted, at: moment, userID: caller.user.id, sessionID: self.session, detail: "joined"),
            AuditEntry(
                isStale ? .staleNumberUsed : .login, at: moment, userID: owner.id, sessionID: session.id,
                provider: identity.provider,
                device: device),
        ]
    }
}

extension User {
    /// The older user, who gets the address and the nickname of the accounts that move where there was none.
    fileprivate func joined(by caller: JoinFacts.Party) -> User {
        var user = self
        user.nickname = nickname ?? caller.user.nickname
        // The store writes it with the account.
        user.phone = phone ?? caller.user.phone
        if email == nil, let email = caller.user.email {
            (user.email, user.emailVerified) = (email, caller.user.emailVerified)
        }
        return user
    }
}

extension AuthService {
    /// Nil if there is nothing to join: the address belongs to no user, or to the caller.
    func join(
        _ caller: Caller, holding refreshTokenHash: [UInt8]?, provenBy proven: ProvenIdentity, from device: Device,
        now: Timestamp,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult? {
        let join = Join(
            identity: proven.identity, redemption: proven.redemption, caller: caller.userID, session: caller.sessionID,
            refreshTokenHash: refreshTokenHash, moment: issueTime(at: now), device: device,
            staleAfter: proven.identity.provider == .phone ? policy.phone.staleAfter : nil,
            demandedStrength: policy.sensitiveStrength, isOfGuest: caller.isGuest)
        let (decision, ended) = try store.record(
            join, limit: policy.sessionsPerUser, resealing: reseal(of: caller.userID)
        ) { facts in self.decide(join, on: facts, proven: proven, keeping: caller.keyThumbprint) }
        switch decision {
        case .nothingToJoin: return nil
        case .taken(let conflict): throw .accountAlreadyLinked(conflict)
        case .supersededToken: throw .invalidRefreshToken
        case .used: throw .replayed(by: proven.identity.provider)
        case .noGuest: throw .sessionRevoked
        case .callerEnded: throw try refusal(ofEnded: caller)
        case .staleNumber(let user): throw refusedStaleNumber(of: user, by: proven.identity.provider, from: device)
        case .join(let accepted):
            announce(ended, requestID: context.id)
            report(.loggedIn(proven.identity.provider, isNewUser: false), context.id)
            if caller.isGuest { report(.guests(.joined, count: 1), context.id) }
            context.identify(accepted.user.id, accepted.session.id)
            let tokens = try tokenPair(accepted.refreshToken, for: accepted.user, in: accepted.session, now: now)
            return LoginResult(tokens: tokens, user: accepted.user, isNewUser: false)
        }
    }

    private func decide(
        _ join: Join, on facts: JoinFacts, proven: ProvenIdentity, keeping key: String?
    ) -> JoinDecision {
        if let refusal = join.refusal(on: facts, equal: platform.equal) { return refusal }
        guard let caller = facts.caller, let owner = facts.owner else { return .nothingToJoin }
        let (user, isStale, isGuest) = (owner.user.joined(by: caller), join.isStale(on: facts), caller.user.isGuest)
        let (session, refreshToken) = newSession(
            of: user, by: join.identity.provider,
            clientID: isGuest
                ? proven.clientID : facts.callersSessions.first?.clientID ?? policy.defaultClientID,
            boundTo: key, method: proven.method,
            from: join.device, now: join.moment)
        let devices = policy.tellsOwners && !isStale ? owner.user.notices(of: .newDevice, at: join.moment) : []
        let joins = isGuest ? [] : [owner, caller].flatMap { $0.user.notices(of: .joined, at: join.moment) }
        return .join(
            AcceptedJoin(
                user: user, session: session, refreshToken: refreshToken,
                events: join.events(of: caller, joining: owner.user, in: session, isStale: isStale),
                notices: (isStale ? owner.user.notices(of: .staleNumberUsed, at: join.moment) : []) + joins,
                noticesOfDevice: isGuest ? devices : nil,
                account: owner.accounts.first { $0.provider == join.identity.provider }?.updated(from: join.identity),
                task: exchangeTask(
                    for: proven.laterCode, of: user.id, clientID: proven.clientID, now: join.moment)))
    }

    /// Apple's tokens are encrypted for their owner. Nil for one that cannot be decrypted.
    private func reseal(of caller: UserID) -> @Sendable (_ sealed: [UInt8], _ owner: UserID) -> [UInt8]? {
        guard let vault = appleServer?.vault else { return { _, _ in nil } }
        return { sealed, owner in vault.open(sealed, for: caller).map { vault.seal($0, for: owner) } }
    }
}
