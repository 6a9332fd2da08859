/// An identity to be linked to a user, and what is redeemed, queued and recorded with it.
package struct NewLink: Sendable {
    package let identity: Identity
    package let user: UserID
    package let redemption: Redemption?
    package let task: AppleTask?
    /// Whether the identity takes the place of the account that the user has at the provider.
    package let replaces: Bool
    /// Whether the request was admitted as a guest's, of whom less is demanded than of a user.
    package let isOfGuest: Bool
    package let event: AuditEntry
    private let hasher: any IdentityHasher

    package init(
        identity: Identity, user: UserID, redemption: Redemption?, task: AppleTask?, replaces: Bool = false,
        isOfGuest: Bool = false, event: AuditEntry, hasher: any IdentityHasher
    ) {
        self.identity = identity
        self.user = user
        self.redemption = redemption
        self.task = task
        self.replaces = replaces
        self.isOfGuest = isOfGuest
        self.event = event
        self.hasher = hasher
    }

    /// The keyed hashes that recognise an identity which was removed from a disabled user. Needed only if the identity has
    /// no account.
    package var identityHashes: [[UInt8]] { hasher.hashes(of: identity) }
}

package enum LinkDecision: Sendable {
    /// The store adds this account. It writes the user, too, unless nil: then the link does not change the user.
    case link(LinkedAccount, changing: User?)
    /// The store deletes the former account, and adds the other one.
    case replace(LinkedAccount, by: LinkedAccount, changing: User?)
    /// The account, which has another subject after a transfer of the app.
    case alreadyLinked(LinkedAccount)
    case taken(LinkConflict)
    case replayed
    case usedNonce
    /// The user is not active, or their session has ended.
    case callerEnded
    /// The guest has become a user since the request was admitted.
    case noGuest
}

/// Why an identity cannot be linked.
package enum LinkConflict: String, Sendable, CaseIterable {
    /// It belongs to another user, or belonged to a disabled one.
    case identity
    /// The user has another account at this provider.
    case provider
}

extension NewLink {
    /// - Parameter user: nil when there is no such user.
    package func decide(on facts: IdentityFacts, of user: User?) -> LinkDecision {
        guard let user, user.status == .active else { return .callerEnded }
        if isOfGuest, !user.isGuest { return .noGuest }
        switch facts.use {
        case .replayed: return .replayed
        case .usedNonce: return .usedNonce
        case .first, .repeated: break
        }
        if let known = facts.known {
            guard known.user.id == user.id, facts.otherUser == nil else { return .taken(.identity) }
            var account = known.account
            account.takeSubject(of: identity)
            account.unionSubject = account.unionSubject ?? identity.unionSubject
            return .alreadyLinked(account)
        }
        if facts.barredFrom != nil { return .taken(.identity) }
        let account = LinkedAccount(identity, linkedAt: event.moment)
        guard let former = facts.accounts.first(where: { $0.provider == identity.provider }) else {
            // A user who adds an address means it to be theirs; a provider's address may be any.
            let isFirstAddress = identity.provider == .email && user.email == nil
            return .link(
                account, changing: isFirstAddress ? user.readdressed(by: identity) : user.verified(by: identity))
        }
        guard replaces else { return .taken(.provider) }
        let isSource = user.email.map { former.isSource(of: $0, among: facts.accounts) } ?? true
        return .replace(former, by: account, changing: isSource ? user.readdressed(by: identity) : nil)
    }
}

package enum UnlinkDecision: Sendable, Equatable {
    /// The store deletes the account. It writes the user, too, unless nil: then the user keeps their address.
    case unlink(changing: User?)
    /// There is no such account.
    case nothing
    /// The user would have no way to log in.
    case last
    /// The user is not active, or their session has ended.
    case callerEnded

    /// - Parameter accounts: all of the user, the oldest first.
    package init(_ provider: Provider, of user: User, with accounts: [LinkedAccount]) {
        let rest = accounts.filter { $0.provider != provider }
        self =
            if rest.count == accounts.count { .nothing } else if accounts.count == 1 { .last } else {
                .unlink(changing: user.addressed(byOneOf: rest))
            }
    }
}

extension AuthService {
    /// The caller's ways to log in.
    package func accounts(of caller: Caller) throws(Refusal) -> [LinkedAccount] {
        try store.accounts(of: caller.userID)
    }

    /// Links what was proven to the caller.
    ///
    /// - Parameter replaces: whether it takes the place of the account that the caller has at the provider.
    func link(
        _ proven: ProvenIdentity, replaces: Bool = false, to caller: Caller, from device: Device, now: Timestamp,
        requestID: String
    ) throws(Refusal) {
        let provider = proven.identity.provider
        let event = AuditEntry(
            .accountLinked, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: provider,
            device: device, detail: caller.isGuest ? "guest" : nil)
        let link = NewLink(
            identity: proven.identity, user: caller.userID, redemption: proven.redemption,
            task: exchangeTask(for: proven.laterCode, of: caller.userID, clientID: proven.clientID, now: now),
            replaces: replaces, isOfGuest: caller.isGuest, event: event, hasher: hasher)
        switch try store.record(link) {
        case .link, .replace, .alreadyLinked: if caller.isGuest { reportNewUser(requestID) }
        case .noGuest: throw .sessionRevoked
        case .taken(let conflict): throw .accountAlreadyLinked(conflict)
        case .replayed: throw .replayed(by: provider)
        case .usedNonce: throw .identity(.nonce(.challengeUsed), by: provider)
        case .callerEnded: throw try refusal(ofEnded: caller)
        }
    }

    /// A guest has linked an account. The guard admits the user from the next request on. After a failure, the log is read
    /// within a second.
    func reportNewUser(_ requestID: String?) {
        report(.guests(.becameUser, count: 1), requestID)
        try? revocations.catchUp()
    }

    /// Unlinks the caller's account at a provider, and ends the sessions that it opened. The caller's own goes on, because
    /// its user has just shown that they want to stay signed in another way.
    ///
    /// - Parameter login: proves the login again when it is too old.
    package func unlink(
        _ provider: Provider, from caller: Caller, on device: Device, provenBy login: IdentityLogin? = nil,
        requestID: String
    ) throws(Refusal) {
        let now = platform.now()
        // Unlinking and binding again is a change as well, and a passkey is deleted by this as by its own request.
        if provider.isProvenByCode || provider == .passkey {
            try requireLoginForChange(of: asStored(caller), now: now)
        } else {
            try requireRecentLogin(of: asStored(caller), or: login, now: now, requestID: requestID)
        }
        let event = AuditEntry(
            .accountUnlinked, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: provider,
            device: device)
        let (decision, ended) = try store.unlink(provider, of: caller.userID, recording: event)
        switch decision {
        case .last: throw .lastAccount
        case .callerEnded: throw try refusal(ofEnded: caller)
        case .unlink, .nothing: announce(ended, requestID: requestID)
        }
        // The guard refuses from the next request on. After a failure, the log is read within a second.
        if provider == .phone { try? revocations.catchUp() }
    }
}
