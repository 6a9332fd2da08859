extension AuthService {
    /// Exchanges a refresh token for its successor. The same token gets the same successor again for as long as no client
    /// has used the successor: then the answer may have been lost.
    package func refresh(
        _ token: String, proof: @autoclosure () -> SentProof?, from device: Device = .unknown,
        in context: inout RequestContext
    ) throws(Refusal) -> TokenPair {
        do throws(Refusal) {
            return try rotate(token, proof: proof(), from: device, in: &context)
        } catch {
            report(.refreshRefused(error), context.id)
            auditRefusal(error, .refreshRefused, from: device)
            throw error
        }
    }

    private func rotate(
        _ token: String, proof: @autoclosure () -> SentProof?, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> TokenPair {
        let now = platform.now()
        let presented = try readRefreshToken(token)
        // Before the transaction, which others wait for. Whether the session is bound is known only there.
        let request = RefreshRequest(presented, from: device, now: now, proof: proven(proof(), now: now, in: context))
        guard let refresh = try decideInTransaction(on: request, in: &context) else {
            throw try refusalOfTokenNotInDatabase(presented, now: now)
        }
        context.identify(refresh.user.id, refresh.session.id)
        switch refresh.decision {
        case .advance(let session, let token):
            report(.refreshed(isRepeat: false), context.id)
            return try tokenPair(token, for: refresh.user, in: session, now: now)
        case .repeatCurrent(let written):
            report(.refreshed(isRepeat: true), context.id)
            let counted = written.flatMap { $0.repeats > refresh.session.repeats ? $0 : nil }
            reportRepeat(of: refresh.session, counted: counted, from: device, now: now, requestID: context.id)
            let text = try currentToken(of: refresh.session)
            return try tokenPair(text, for: refresh.user, in: refresh.session, now: now)
        case .end(let ended, _) where ended.revokeReason == .key: throw reportStolen(ended, in: context)
        case .end:
            announce([EndedSession(refresh.session.id, for: .reuse)], requestID: context.id)
            report(.refreshTokenReused(session: refresh.session.id, user: refresh.user.id), context.id)
            throw .refreshTokenReused
        case .refuse(.invalidRefreshToken) where presented.generation > refresh.session.token.generation:
            throw try refusalOfTokenNotInDatabase(presented, now: now)
        case .refuse(let refusal):
            // The request that ended the session may not have added it to the set in memory yet.
            if refresh.session.revokedAt != nil { revocations.insert(refresh.session.id) }
            if case .invalidProof(let fault) = refusal { throw refused(fault, in: context) }
            if refusal == .userDisabled { auditDisabledUser(refresh.user.id, .refreshRefused, from: device) }
            throw refusal
        }
    }

    /// For a token with a valid signature that the database does not contain. Within 60 s of its issue, a new primary may
    /// have it and the server that answered may not: the client gets 503, because a refusal would sign the user out. After
    /// that, the database was restored to an earlier state, and the token is refused.
    private func refusalOfTokenNotInDatabase(_ presented: PresentedToken, now: Timestamp) throws(Refusal) -> Refusal {
        // The sessions of a deleted user are deleted, too.
        if store.mayBeBehind, now < presented.issuedAt + .seconds(60),
            try store.user(presented.userID)?.status != .deleted
        {
            return .storageUnavailable(
                StoreFailure("the database does not have the newest token of a session yet", cause: .unreachable))
        }
        return now < presented.expiresAt ? .invalidRefreshToken : .refreshTokenExpired
    }

    /// Nil without a proof.
    private func proven(
        _ proof: SentProof?, now: Timestamp, in context: RequestContext
    ) -> Result<ProvenKey, DPoPFault>? {
        proof.map { proof in
            Result { () throws(DPoPFault) in try verify(proof, now: now, requestID: context.id) }
        }
    }

    /// Decides inside the store's transaction, so that no other request changes the session meanwhile. Nil when there
    /// is no such session.
    private func decideInTransaction(
        on request: RefreshRequest, in context: inout RequestContext
    ) throws(Refusal) -> DecidedRefresh? {
        do throws(Refusal) {
            return try store.refresh(request.presented.sessionID, now: request.now) { session, user in
                self.decide(request, session, user)
            }
        } catch {
            return try decideWithoutWriting(on: request, after: error, in: &context)
        }
    }

    /// While the store cannot write, a retry and a refusal are still answered, because they need no write. A server that
    /// does not answer is not asked again: the client has waited long enough for its 503.
    private func decideWithoutWriting(
        on request: RefreshRequest, after failure: Refusal, in context: inout RequestContext
    ) throws(Refusal) -> DecidedRefresh? {
        let presented = request.presented
        context.identify(presented.userID, presented.sessionID)
        if case .storageUnavailable(let fault) = failure, fault.cause == .unreachable { throw failure }
        guard let (session, user) = try store.session(presented.sessionID) else { return nil }
        let answer: RefreshDecision
        switch decide(request, session, user) {
        case .advance, .end: throw failure
        case .repeatCurrent:
            // The row cannot remember the proof.
            if session.isBound, case .success(let proven) = request.proof, !proofs.insert(proven.use, at: request.now) {
                throw refused(.replayed, in: context)
            }
            answer = .repeatCurrent(nil)
        case .refuse(let refusal): answer = .refuse(refusal)
        }
        if case .storageUnavailable(let fault) = failure { report(.storeFailureTolerated(fault), context.id) }
        return DecidedRefresh(session: session, user: user, decision: answer)
    }

    private func decide(_ request: RefreshRequest, _ session: Session, _ user: User) -> RefreshDecision {
        let (now, device) = (request.now, request.device)
        let rotation = decideByBothClocks(at: now) { now in
            Rotation.decide(
                session, confirmedAt: confirmations.confirmation(of: session), presented: request.presented,
                policy: policy.refresh, now: now, random: tokens.random, equal: platform.equal)
        }
        if case .refuse(let refusal) = rotation {
            // If the session ended because the user was disabled, the answer says so while that is still the case.
            let endedByDisabling = session.revokedAt != nil && session.revokeReason == .userDisabled
            return .refuse(endedByDisabling ? self.refusal(of: user) ?? refusal : refusal)
        }
        guard session.isBound else { return carryOut(rotation, session, user, from: device, now: now) }
        // The rule of rotation says what happens to the tokens, and the proof who may cause it.
        switch session.decide(on: request.proof ?? .failure(.missing), from: device, at: now) {
        case .accept(let session): return carryOut(rotation, session, user, from: device, now: now)
        case .ended: return .refuse(.refreshTokenRevoked)
        case .refuse(let fault): return .refuse(.invalidProof(fault))
        case .end(let ended, let event): return .end(ended, recording: event)
        }
    }

    /// - Parameter session: with the proof of the request among the used ones, if the session is bound.
    private func carryOut(
        _ rotation: Rotation, _ session: Session, _ user: User, from device: Device, now: Timestamp
    ) -> RefreshDecision {
        switch rotation {
        case .advance:
            if let refusal = refusal(of: user) { return .refuse(refusal) }
            return advance(session, from: device, now: issueTime(at: now))
        case .repeatCurrent:
            if let refusal = refusal(of: user) { return .refuse(refusal) }
            if session.countsRepeat(from: device) { return .repeatCurrent(session.repeated(from: device)) }
            return .repeatCurrent(session.isBound ? session : nil)
        case .endForReuse:
            let event = AuditEntry(
                .refreshTokenReused, at: now, userID: session.userID, sessionID: session.id, device: device)
            return .end(session.ended(for: .reuse, at: now), recording: event)
        case .refuse(let refusal): return .refuse(refusal)
        }
    }

    private func advance(_ session: Session, from device: Device, now: Timestamp) -> RefreshDecision {
        let chain = TokenChain(
            seed: session.chain?.seed ?? platform.random(TokenChain.seedBytes),
            burst: policy.refresh.burst(session.chain?.burst, afterRotating: session.token, at: now))
        let (token, text) = issueRefreshToken(
            generation: session.token.generation + 1, seed: chain.seed, of: session.id, for: session.userID,
            sessionCreatedAt: session.createdAt, now: now)
        return .advance(session.advanced(to: token, in: chain, from: device), token: text)
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
    ///
    /// - Parameter counted: the session with this repeat, if it was stored.
    private func reportRepeat(
        of session: Session, counted: Session?, from device: Device, now: Timestamp, requestID: String
    ) {
        if session.isElsewhere(device) {
            report(.refreshRepeatedElsewhere, requestID)
            audit(.refreshRepeatedElsewhere)
            // Counted by the row, so each session is reported once, whatever the number of nodes and restarts.
            if let counted, counted.repeatsElsewhere == Session.reportedRepeats {
                report(.sessionRepeatedElsewhere(session: session.id, user: session.userID), requestID)
            }
        }
        if let counted, counted.repeats == Session.reportedRepeats {
            report(.refreshRepeatedOften, requestID)
            audit(.refreshRepeatedOften)
        }

        func audit(_ kind: AuditEntry.Kind) {
            refusals.add(AuditEntry(kind, at: now, userID: session.userID, sessionID: session.id, device: device))
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

/// What a refresh does to a session, and what it answers: a `Rotation`, carried out. The store writes the session that a
/// case contains.
package enum RefreshDecision: Sendable {
    /// The session with its next token, and the text of that token.
    case advance(Session, token: String)
    /// The same token again. The session with the repeat counted, unless it has been counted often enough, and with the proof
    /// of a bound session.
    case repeatCurrent(Session?)
    /// The session as it ended, for reuse or because of a proof by another key.
    case end(Session, recording: AuditEntry)
    case refuse(Refusal)

    /// The session that the store writes.
    package var written: Session? {
        switch self {
        case .advance(let session, _), .end(let session, _): session
        case .repeatCurrent(let session): session
        case .refuse: nil
        }
    }
}

/// A decision, with the session and the user that it was made about: as they were before it.
package struct DecidedRefresh: Sendable {
    package let session: Session
    package let user: User
    package let decision: RefreshDecision

    package init(session: Session, user: User, decision: RefreshDecision) {
        (self.session, self.user, self.decision) = (session, user, decision)
    }
}

/// What a refresh is decided by, besides the session and its user.
private struct RefreshRequest: Sendable {
    let presented: PresentedToken
    let device: Device
    let now: Timestamp
    /// Nil without a proof.
    let proof: Result<ProvenKey, DPoPFault>?

    init(_ presented: PresentedToken, from device: Device, now: Timestamp, proof: Result<ProvenKey, DPoPFault>?) {
        (self.presented, self.device, self.now, self.proof) = (presented, device, now, proof)
    }
}
