/// The answer to a login.
package struct LoginResult: Sendable {
    package let tokens: TokenPair
    package let user: User
    package let isNewUser: Bool
    /// Whether the address that this login of a new user has proven is another user's proven address as well.
    package let isKnownAddress: Bool

    package init(tokens: TokenPair, user: User, isNewUser: Bool, isKnownAddress: Bool = false) {
        (self.tokens, self.user, self.isNewUser, self.isKnownAddress) = (tokens, user, isNewUser, isKnownAddress)
    }
}

extension AuthService {
    /// Finds or creates the user of a proven identity, and opens a session: the one path after every way to sign in.
    ///
    /// - Parameters:
    ///   - key: nil for a session that is bound to none.
    ///   - guest: nil unless a guest signs in.
    func openSession(
        for proven: ProvenIdentity, nickname: String?, boundTo key: ProvenKey?, as guest: GuestLimits? = nil,
        from device: Device, now: Timestamp, in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        let provider = proven.identity.provider
        let login = Login(
            identity: proven.identity, nickname: nickname, redemption: proven.redemption, passkey: proven.passkey,
            guest: guest, key: key,
            staleAfter: provider == .phone ? policy.phone.staleAfter : nil, moment: issueTime(at: now),
            userAgent: device.userAgent, tellsOwner: policy.tellsOwners, hasher: hasher)
        let (decision, ended) = try store.record(login, limit: policy.sessionsPerUser) { facts in
            self.decide(login, on: facts, proven: proven, from: device, now: now)
        }
        let accepted = try accepted(decision, by: provider, from: device, in: context)
        context.identify(accepted.user.id, accepted.session.id)
        announce(ended, requestID: context.id)
        report(.loggedIn(provider, isNewUser: accepted.isNewUser), context.id)
        let tokens = try tokenPair(accepted.refreshToken, for: accepted.user, in: accepted.session, now: now)
        return LoginResult(
            tokens: tokens, user: accepted.user, isNewUser: accepted.isNewUser,
            isKnownAddress: accepted.isKnownAddress)
    }

    /// Reports a refused login, and returns its refusal.
    func refusedLogin(
        _ refusal: Refusal, by provider: Provider, from device: Device, in context: RequestContext
    ) -> Refusal {
        report(.loginRefused(provider, refusal), context.id)
        auditRefusal(refusal, .loginRefused, by: provider, from: device)
        return refusal
    }

    /// Adds the attempt to the audit trail of the number's user, and returns the refusal.
    func refusedStaleNumber(of user: UserID, by provider: Provider, from device: Device) -> Refusal {
        refusals.add(
            AuditEntry(
                .loginRefused, at: platform.now(), userID: user, provider: provider, device: device,
                detail: Refusal.staleNumber.label))
        return .staleNumber
    }

    private func accepted(
        _ decision: LoginDecision, by provider: Provider, from device: Device, in context: RequestContext
    ) throws(Refusal) -> AcceptedLogin {
        switch decision {
        case .accept(let login): return login
        case .refuse(.replayed): throw .replayed(by: provider)
        case .refuse(.usedNonce): throw .identity(.nonce(.challengeUsed), by: provider)
        case .refuse(.twoUsers(let first, let second)):
            report(.identityOfTwoUsers(provider, first, second), context.id)
            throw .identity(.twoUsers, by: provider)
        case .refuse(.usedProof): throw refused(.replayed, in: context)
        case .refuse(.knownPasskey): throw .accountAlreadyLinked(.identity)
        case .refuse(.passkeyRemoved(let id)): throw .passkey(.unknown(tokens.text(of: id)))
        case .refuse(.tooManyGuests(let reached)): throw .tooManyGuests(reached)
        case .refuse(.passkeyCounter(let user)):
            auditCounter(of: user, from: device)
            throw .passkey(.counter)
        case .refuse(.inactive(let user)):
            auditDisabledUser(user.id, .loginRefused, by: provider, from: device)
            throw .userDisabled
        case .refuse(.staleNumber(let user)):
            throw refusedStaleNumber(of: user, by: provider, from: device)
        case .refuse(.barred(let user)):
            auditDisabledUser(user, .loginRefused, by: provider, from: device)
            throw .userDisabled
        }
    }
}
