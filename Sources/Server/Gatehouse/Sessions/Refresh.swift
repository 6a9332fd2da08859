extension AuthService {
    /// Exchanges a refresh token for its successor. The same token gets the same successor again for as long as no client
    /// has used the successor: then the answer may have been lost.
    package func refresh(
        _ token: String, from device: Device = .unknown, in context: inout RequestContext
    ) throws(Refusal) -> TokenPair {
        do throws(Refusal) {
            return try rotate(token, from: device, in: &context)
        } catch {
            report(.refreshRefused(error), context.id)
            auditRefusal(error, .refreshRefused, from: device)
            throw error
        }
    }

    private func rotate(
        _ token: String, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> TokenPair {
        let now = primitives.now()
        let presented = try readRefreshToken(token)
        guard let refresh = try decideInTransaction(on: presented, from: device, now: now, in: &context) else {
            throw try refusalOfUnknown(presented, now: now)
        }
        context.identify(refresh.user.id, refresh.session.id)
        switch refresh.decision {
        case .advance(let token, _, let text):
            report(.refreshed(isRepeat: false), context.id)
            var session = refresh.session
            session.token = token
            return try tokenPair(text, for: refresh.user, in: session, now: now)
        case .repeatCurrent:
            report(.refreshed(isRepeat: true), context.id)
            reportRepeat(refresh, from: device, now: now, requestID: context.id)
            let text = try currentToken(of: refresh.session)
            return try tokenPair(text, for: refresh.user, in: refresh.session, now: now)
        case .endForReuse:
            revocations.insert(refresh.session.id)
            report(.sessionsEnded(.reuse, count: 1), context.id)
            report(.refreshTokenReused(session: refresh.session.id, user: refresh.user.id), context.id)
            throw .refreshTokenReused
        case .refuse(.invalidRefreshToken) where presented.generation > refresh.session.token.generation:
            throw try refusalOfUnknown(presented, now: now)
        case .refuse(let refusal):
            // The request that ended the session may not have added it to the set in memory yet.
            if refresh.session.revokedAt != nil { revocations.insert(refresh.session.id) }
            if refusal == .userDisabled { auditDisabledUser(refresh.user.id, .refreshRefused, from: device) }
            throw refusal
        }
    }

    /// For a token whose signature is ours and that the store does not know. Just after a failover the database of another
    /// node may be ahead, and then the user must not be signed out. Later the database was set back.
    private func refusalOfUnknown(_ presented: PresentedToken, now: Timestamp) throws(Refusal) -> Refusal {
        // The sessions of a deleted user are deleted, too.
        if store.mayBeBehind, now < presented.issuedAt + .seconds(60),
            try store.user(presented.userID)?.status != .deleted
        {
            return .storageUnavailable(
                StoreFailure("the database does not have the newest token of a session yet", cause: .unreachable))
        }
        return now < presented.expiresAt ? .invalidRefreshToken : .refreshTokenExpired
    }

    /// Decides inside the store's transaction, so that no other request changes the session meanwhile. Nil when there
    /// is no such session.
    private func decideInTransaction(
        on presented: PresentedToken, from device: Device, now: Timestamp, in context: inout RequestContext
    ) throws(Refusal) -> DecidedRefresh? {
        var decision = RefreshDecision.refuse(.invalidRefreshToken)
        let found: (session: Session, user: User, change: SessionChange?)?
        do throws(Refusal) {
            found = try store.change(presented.sessionID, now: now) { session, user in
                decision = decide(presented, session, user, now: now)
                return decision.change(of: session, from: device, now: now)
            }
        } catch {
            return try decideWithoutWriting(on: presented, now: now, after: error, in: &context)
        }
        guard let (session, user, change) = found else { return nil }
        // Only after a fault of the store: no other write can change the row between the decision and its change.
        if decision.needsWrite, change == nil {
            throw .storageUnavailable(StoreFailure("the session has changed since the store read it"))
        }
        return DecidedRefresh(session: session, user: user, decision: decision, isStored: change != nil)
    }

    /// While the store cannot write, a retry and a refusal are still answered, because they need no write. A server that
    /// does not answer is not asked again: the client has waited long enough for its 503.
    private func decideWithoutWriting(
        on presented: PresentedToken, now: Timestamp, after failure: Refusal, in context: inout RequestContext
    ) throws(Refusal) -> DecidedRefresh? {
        context.identify(presented.userID, presented.sessionID)
        if case .storageUnavailable(let fault) = failure, fault.cause == .unreachable { throw failure }
        guard let (session, user) = try store.session(presented.sessionID) else { return nil }
        let decision = decide(presented, session, user, now: now)
        if decision.needsWrite { throw failure }
        if case .storageUnavailable(let fault) = failure { report(.storeFailureTolerated(fault), context.id) }
        return DecidedRefresh(session: session, user: user, decision: decision, isStored: false)
    }

    private func decide(
        _ presented: PresentedToken, _ session: Session, _ user: User, now: Timestamp
    ) -> RefreshDecision {
        let rotation = decideByBothClocks(at: now) { now in
            Rotation.decide(
                session, confirmedAt: confirmations.confirmation(of: session), presented: presented,
                policy: policy.refresh, now: now, random: tokens.random, equal: primitives.equal)
        }
        switch rotation {
        case .advance:
            if let refusal = refusal(of: user) { return .refuse(refusal) }
            let now = issueTime(at: now)
            let chain = TokenChain(
                seed: session.chain?.seed ?? primitives.random(TokenChain.seedBytes),
                burst: policy.refresh.burst(session.chain?.burst, afterRotating: session.token, at: now))
            let (token, text) = issueRefreshToken(
                generation: session.token.generation + 1, seed: chain.seed, of: session.id, for: session.userID,
                sessionCreatedAt: session.createdAt, now: now)
            return .advance(token, chain, text: text)
        case .repeatCurrent:
            return refusal(of: user).map(RefreshDecision.refuse) ?? .repeatCurrent
        case .endForReuse:
            return .endForReuse
        case .refuse(let refusal):
            // If the session ended because the user was disabled, the answer says so while that is still the case.
            let endedByDisabling = session.revokedAt != nil && session.revokeReason == .userDisabled
            return .refuse(endedByDisabling ? self.refusal(of: user) ?? refusal : refusal)
        }
    }

    private func refusal(of user: User) -> Refusal? {
        switch user.status {
        case .active: nil
        case .disabled: .userDisabled
        case .deleted: .refreshTokenRevoked
        }
    }

    /// A repeat from another device than the rotation, and many repeats in a row, may come from a thief who follows the
    /// owner, or from an owner who has changed networks or keeps losing answers. So they are reported, and not refused.
    private func reportRepeat(_ refresh: DecidedRefresh, from device: Device, now: Timestamp, requestID: String) {
        let session = refresh.session
        if session.isElsewhere(device) {
            report(.refreshRepeatedElsewhere, requestID)
            audit(.refreshRepeatedElsewhere)
            // Counted by the row, so each session is reported once, whatever the number of nodes and restarts.
            if refresh.isStored, session.repeatsElsewhere == Session.reportedRepeats - 1 {
                report(.sessionRepeatedElsewhere(session: session.id, user: session.userID), requestID)
            }
        }
        if refresh.isStored, session.repeats == Session.reportedRepeats - 1 {
            report(.refreshRepeatedOften, requestID)
            audit(.refreshRepeatedOften)
        }

        func audit(_ kind: AuditEvent.Kind) {
            refusals.add(AuditEvent(kind, at: now, userID: session.userID, sessionID: session.id, device: device))
        }
    }

    /// The session's current token, byte for byte as it was issued.
    private func currentToken(of session: Session) throws(Refusal) -> String {
        let token = session.token
        let claims = RefreshClaims(
            userID: session.userID, sessionID: session.id, generation: token.generation, random: token.random,
            issuedAt: token.issuedAt, expiresAt: token.expiresAt)
        // When no secret gives this hash, the secret that signed the token has been removed from the configuration.
        guard let text = tokens.refreshToken(claims, hashedAs: token.hash) else { throw .invalidRefreshToken }
        return text
    }
}

/// The decision about a refresh, and the rows that it is based on.
private struct DecidedRefresh {
    let session: Session
    let user: User
    let decision: RefreshDecision
    /// Whether the change that the decision makes is stored.
    let isStored: Bool
}

private enum RefreshDecision {
    case advance(SessionToken, TokenChain, text: String)
    case repeatCurrent
    case endForReuse
    case refuse(Refusal)

    var needsWrite: Bool {
        switch self {
        case .advance, .endForReuse: true
        case .repeatCurrent, .refuse: false
        }
    }

    func change(of session: Session, from device: Device, now: Timestamp) -> SessionChange? {
        switch self {
        case .advance(let token, let chain, _): .advance(to: token, in: chain, from: device)
        case .endForReuse:
            .end(
                .reuse,
                recording: AuditEvent(
                    .refreshTokenReused, at: now, userID: session.userID, sessionID: session.id, device: device))
        case .repeatCurrent:
            session.countsRepeat(from: device)
                ? .countRepeat(
                    of: session.token.generation, from: device, isElsewhere: session.isElsewhere(device)) : nil
        case .refuse: nil
        }
    }
}

/// What a refresh does to a session.
package enum SessionChange: Sendable {
    /// Replaces the token by the next generation.
    case advance(to: SessionToken, in: TokenChain, from: Device)
    /// The token of this generation was returned again.
    case countRepeat(of: Int64, from: Device, isElsewhere: Bool)
    case end(RevokeReason, recording: AuditEvent)
}
