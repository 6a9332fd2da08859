extension AuthService {
    /// The key to which a login binds its session; nil for a login without a proof.
    func provenKey(
        of login: SentProof?, now: Timestamp, in context: RequestContext
    ) throws(Refusal) -> ProvenKey? {
        guard let login else { return nil }
        do throws(DPoPFault) { return try verify(login, now: now, requestID: context.id) } catch {
            throw refused(error, in: context)
        }
    }

    /// Verifies a proof, except that it is by the session's key and was not used before: the caller checks these two.
    ///
    /// - Parameters:
    ///   - accessToken: the one that is sent with it.
    ///   - isAtGuard: guarded locations may have other names than the API.
    func verify(
        _ sent: SentProof?, with accessToken: SentAccessToken? = nil, isAtGuard: Bool = false, now: Timestamp,
        requestID: String
    ) throws(DPoPFault) -> ProvenKey {
        guard let sent else { throw .missing }
        let proof = try tokens.readProof(sent.text)
        var urls = [policy.dpop.origin.map(sent.url.at) ?? sent.url]
        if isAtGuard { urls.append(sent.url) }
        let expected = DPoPExpectation(
            method: sent.method, urls: urls,
            accessTokenHash: accessToken.map { tokens.hash(String(decoding: $0.bytes, as: UTF8.self)) })
        // While two clocks differ, it is not known which one is wrong: a proof may be right by either.
        let otherTime = clocks.otherTime(at: now)
        let faults = [now, otherTime ?? now].map { moment in
            proof.checks(against: expected, at: moment).first { !$0.passes }?.fault
        }
        if let fault = faults[0], faults[1] != nil { throw fault }
        if policy.dpop.requiresNonce {
            guard let end = proof.nonce.flatMap(tokens.expiry(ofProofNonce:)), now < end else { throw .nonce }
        }
        let use = ProofUse(
            proof: tokens.hash("dpop \(proof.thumbprint) \(proof.id)"), request: tokens.hash(requestID),
            issuedAt: proof.issuedAt, otherTime: otherTime)
        return ProvenKey(thumbprint: proof.thumbprint, use: use)
    }

    /// Whether proofs must contain a nonce of this server.
    package var requiresProofNonce: Bool { policy.dpop.requiresNonce }

    package func proofNonce() -> String {
        tokens.proofNonce(expiresAt: platform.now() + DPoPPolicy.nonceLifetime)
    }

    func refused(_ fault: DPoPFault, in context: RequestContext) -> Refusal {
        report(.proofRefused(fault), context.id)
        return .invalidProof(fault)
    }
}

// MARK: - The guard, and reads

extension AuthService {
    /// Checks the proof of a bound access token without the database. One that is sent, and the scheme DPoP, are always
    /// checked; the settings say whether a client may send neither.
    func checkAtGuard(
        _ caller: Caller, _ token: SentAccessToken, _ proof: SentProof?, now: Timestamp, in context: RequestContext
    ) throws(Refusal) {
        // An unbound token with the scheme DPoP (RFC 9449, section 7.1).
        guard let key = caller.keyThumbprint else { throw .invalidAccessToken }
        if token.scheme == .bearer {
            if policy.dpop.atGuard == .required { throw refused(.missing, in: context) }
            if proof == nil { return }
        }
        do throws(DPoPFault) {
            let proven = try verify(proof, with: token, isAtGuard: true, now: now, requestID: context.id)
            guard proven.thumbprint == key else { throw .key }
            guard proofs.insert(proven.use, at: now) else { throw .replayed }
        } catch {
            throw refused(error, in: context)
        }
    }
}

// MARK: - Changes of an account

extension AuthService {
    /// The caller of a request that changes an account, ends sessions or reads all that is known about the user. A bound
    /// session demands a proof, which is then used on every node; a right one by another key ends the session.
    ///
    /// - Parameter ending: the session that the request ends. The caller's own may have ended before: the client may have
    ///   missed the first answer.
    package func authenticateChange(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, admitsWithoutPhone: Bool = false,
        ending session: SessionID? = nil, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        let now = platform.now()
        var caller = try claimedCaller(accessToken, now: now, in: &context)
        let endsOwn = session == caller.sessionID
        if !endsOwn {
            try requireActive(&caller)
            if !admitsWithoutPhone { try requirePhone(of: caller) }
        }
        try requireProof(
            proof(), of: caller, with: accessToken, mayHaveEnded: endsOwn, from: device, now: now, in: context)
        // After the proof: a thief who has the token and not the key must not confirm that it has reached the owner.
        if !endsOwn { confirm(caller, at: now) }
        return caller
    }

    /// Demands a proof if the caller's session is bound.
    ///
    /// - Parameter mayHaveEnded: whether the request only ends this session, and may be a repeat whose first answer was lost.
    func requireProof(
        _ proof: @autoclosure () -> SentProof?, of caller: Caller, with accessToken: SentAccessToken?,
        mayHaveEnded: Bool = false, from device: Device, now: Timestamp, in context: RequestContext
    ) throws(Refusal) {
        guard caller.keyThumbprint != nil else {
            if accessToken?.scheme == .dpop { throw .invalidAccessToken }
            return
        }
        let proven = Result { () throws(DPoPFault) in
            try verify(proof(), with: accessToken, now: now, requestID: context.id)
        }
        let isActive = try use(proven, for: caller.sessionID, from: device, now: now, in: context)
        // Another request or node may have ended the session after `requireActive` was asked.
        guard isActive || mayHaveEnded else { throw .sessionRevoked }
    }

    /// Uses a proof for a bound session. False if the session has ended, or does not exist any more.
    func use(
        _ proof: Result<ProvenKey, DPoPFault>, for id: SessionID, from device: Device, now: Timestamp,
        in context: RequestContext
    ) throws(Refusal) -> Bool {
        // Without a right proof, nothing is written.
        if case .failure(let fault) = proof { throw refused(fault, in: context) }
        let decision = try store.use(id, now: now) { session in session.decide(on: proof, from: device, at: now) }
        switch decision {
        case nil, .ended: return false
        case .accept: return true
        case .refuse(let fault): throw refused(fault, in: context)
        case .end(let ended, _): throw reportStolen(ended, in: context)
        }
    }

    /// Reports that a session was ended because of a proof by another key.
    func reportStolen(_ session: Session, in context: RequestContext) -> Refusal {
        announce([EndedSession(session.id, for: .key)], requestID: context.id)
        report(.sessionKeyMismatch(session: session.id, user: session.userID), context.id)
        return refused(.key, in: context)
    }
}

/// What a proof is worth for a bound session, decided on its row. The store writes the session that a case contains.
package enum ProofDecision: Sendable {
    /// With the proof among the used ones.
    case accept(Session)
    /// The proof is right, but the session has ended before. Nothing is written.
    case ended
    case refuse(DPoPFault)
    /// The proof is valid, but signed with another key than the session's: the client that sent it holds a stolen token.
    case end(Session, recording: AuditEntry)
}

extension Session {
    /// Only for a bound session.
    package func decide(
        on proof: Result<ProvenKey, DPoPFault>, from device: Device, at now: Timestamp
    ) -> ProofDecision {
        switch proof {
        case .failure(let fault): return .refuse(fault)
        case .success(let proven) where proven.thumbprint != keyThumbprint:
            guard revokedAt == nil else { return .refuse(.key) }
            let event = AuditEntry(
                .sessionKeyMismatch, at: now, userID: userID, sessionID: id, device: device)
            return .end(ended(for: .key, at: now), recording: event)
        case .success where revokedAt != nil: return .ended
        case .success(let proven):
            var session = self
            return session.usedProofs.insert(proven.use, at: now) ? .accept(session) : .refuse(.replayed)
        }
    }
}
