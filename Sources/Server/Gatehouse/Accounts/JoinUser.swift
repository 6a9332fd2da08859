/// Joins a new user to an older user of the same person: a code has proven the older user's address. The identities of
/// the new user move to the older user, and the new user is deleted.
///
/// The code proves nothing about the caller: the address may be an attacker's own. So the request also needs the
/// caller's refresh token, which a thief of an access token does not have.
package struct Join: Sendable {
    /// A user who exists for longer may have data in other services, which would be lost.
    package static let longestAge = Duration.seconds(86_400)

    /// The address, which belongs to the older user.
    package let identity: Identity
    package let redemption: Redemption
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

    package init(
        identity: Identity, redemption: Redemption, caller: UserID, session: SessionID,
        refreshTokenHash: [UInt8]?, moment: Timestamp, device: Device, staleAfter: Duration? = nil,
        demandedStrength: LoginStrength = .single
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
    }
}

/// What the store knows about a join. Nothing of it changes until the decision is written.
package struct JoinFacts: Sendable {
    package struct Party: Sendable {
        package let user: User
        package let accounts: [LinkedAccount]

        package init(user: User, accounts: [LinkedAccount]) {
            self.user = user
            self.accounts = accounts
        }
    }

    /// Nil when there is no such user.
    package let caller: Party?
    /// The sessions of the caller that have not ended.
    package let callersSessions: [Session]
    /// The user who has the address; nil for none.
    package let owner: Party?
    /// When the owner last signed in or refreshed, if `Join.staleAfter` is set.
    package let ownersLastUse: Timestamp?
    package let use: Redemption.Use

    package init(
        caller: Party?, callersSessions: [Session], owner: Party?, ownersLastUse: Timestamp? = nil,
        use: Redemption.Use
    ) {
        self.caller = caller
        self.callersSessions = callersSessions
        self.owner = owner
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
    case userInactive
    /// The number may have another owner by now, and the older user has another way to sign in.
    case staleNumber(UserID)
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
}

extension Join {
    /// Nil for a join that is possible.
    func refusal(on facts: JoinFacts, equal: ([UInt8], [UInt8]) -> Bool) -> JoinDecision? {
        guard let caller = facts.caller, caller.user.status == .active else { return .userInactive }
        guard let owner = facts.owner, owner.user.id != caller.user.id else { return .nothingToJoin }
        guard facts.use == .first else { return .used }
        guard owner.user.status == .active, mayBeJoined(owner), isNew(caller.user, with: facts.callersSessions),
            let refreshTokenHash, let current = facts.callersSessions.first?.token
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

    private func isNew(_ user: User, with sessions: [Session]) -> Bool {
        user.role == .user && user.createdAt >= moment - Self.longestAge && sessions.map(\.id) == [session]
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
        guard let redemption = proven.redemption else { return nil }
        let join = Join(
            identity: proven.identity, redemption: redemption, caller: caller.userID, session: caller.sessionID,
            refreshTokenHash: refreshTokenHash, moment: issueTime(at: now), device: device,
            staleAfter: proven.identity.provider == .phone ? policy.phone.staleAfter : nil,
            demandedStrength: policy.sensitiveStrength)
        let (decision, ended) = try store.record(
            join, limit: policy.sessionsPerUser, resealing: reseal(of: caller.userID)
        ) { facts in self.decide(join, on: facts, by: proven.method, keeping: caller.keyThumbprint) }
        switch decision {
        case .nothingToJoin: return nil
        case .taken(let conflict): throw .accountAlreadyLinked(conflict)
        case .supersededToken: throw .invalidRefreshToken
        case .used: throw .invalidCode
        case .userInactive: throw .userDisabled
        case .staleNumber(let user): throw refusedStaleNumber(of: user, by: proven.identity.provider, from: device)
        case .join(let accepted):
            announce(ended, requestID: context.id)
            report(.loggedIn(proven.identity.provider, isNewUser: false), context.id)
            context.identify(accepted.user.id, accepted.session.id)
            let tokens = try tokenPair(accepted.refreshToken, for: accepted.user, in: accepted.session, now: now)
            return LoginResult(tokens: tokens, user: accepted.user, isNewUser: false)
        }
    }

    private func decide(
        _ join: Join, on facts: JoinFacts, by method: LoginMethod?, keeping key: String?
    ) -> JoinDecision {
        if let refusal = join.refusal(on: facts, equal: platform.equal) { return refusal }
        guard let caller = facts.caller, let owner = facts.owner else { return .nothingToJoin }
        let (user, isStale) = (owner.user.joined(by: caller), join.isStale(on: facts))
        let (session, refreshToken) = newSession(
            of: user, by: join.identity.provider,
            clientID: facts.callersSessions.first?.clientID ?? policy.defaultClientID, boundTo: key, method: method,
            from: join.device, now: join.moment)
        return .join(
            AcceptedJoin(
                user: user, session: session, refreshToken: refreshToken,
                events: join.events(of: caller, joining: owner.user, in: session, isStale: isStale),
                notices: (isStale ? owner.user.notices(of: .staleNumberUsed, at: join.moment) : [])
                    + [owner, caller].flatMap { $0.user.notices(of: .joined, at: join.moment) }))
    }

    /// Apple's tokens are encrypted for their owner. Nil for one that cannot be decrypted.
    private func reseal(of caller: UserID) -> @Sendable (_ sealed: [UInt8], _ owner: UserID) -> [UInt8]? {
        guard let vault = appleServer?.vault else { return { _, _ in nil } }
        return { sealed, owner in vault.open(sealed, for: caller).map { vault.seal($0, for: owner) } }
    }
}
