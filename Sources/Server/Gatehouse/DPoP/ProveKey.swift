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

    /// Verifies everything about a proof but whose key it is, and whether it was used before.
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
        if let failed = proof.checks(against: expected, at: now).first(where: { !$0.passes }) { throw failed.fault }
        if policy.dpop.requiresNonce {
            guard let end = proof.nonce.flatMap(tokens.expiry(ofProofNonce:)), now < end else { throw .nonce }
        }
        let use = ProofUse(
            proof: tokens.hash("dpop \(proof.thumbprint) \(proof.id)"), request: tokens.hash(requestID),
            issuedAt: proof.issuedAt)
        return ProvenKey(thumbprint: proof.thumbprint, use: use)
    }

    /// Whether proofs must contain a nonce of this server.
    package var requiresProofNonce: Bool { policy.dpop.requiresNonce }

    package func proofNonce() -> String {
        tokens.proofNonce(expiresAt: primitives.now() + DPoPPolicy.nonceLifetime)
    }

    func refused(_ fault: DPoPFault, in context: RequestContext) -> Refusal {
        report(.proofRefused(fault), context.id)
        return .invalidProof(fault)
    }
}

// MARK: - The guard, and reads

extension AuthService {
    /// Checks the proof of a bound access token without the database, as far as the settings demand one.
    func checkAtGuard(
        _ caller: Caller, _ token: SentAccessToken, _ proof: SentProof?, now: Timestamp, in context: RequestContext
    ) throws(Refusal) {
        // A token that is bound to no key, as if it were (RFC 9449, section 7.1).
        guard let key = caller.keyThumbprint else { throw .invalidAccessToken }
        switch policy.dpop.atGuard {
        case .off: return
        case .optional where token.scheme == .bearer && proof == nil: return
        case .required where token.scheme == .bearer: throw refused(.missing, in: context)
        case .optional, .required: break
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
    /// The caller of a request that changes an account or ends sessions. A bound session demands a proof, which is then
    /// used on every node; a right one by another key ends the session.
    package func authenticateChange(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> Caller {
        let now = primitives.now()
        let caller = try claimedCaller(accessToken, now: now, in: &context)
        try requireActive(caller, now: now)
        try requireProof(proof(), of: caller, with: accessToken, from: device, now: now, in: context)
        return caller
    }

    /// Demands a proof if the caller's session is bound.
    func requireProof(
        _ proof: @autoclosure () -> SentProof?, of caller: Caller, with accessToken: SentAccessToken?,
        from device: Device, now: Timestamp, in context: RequestContext
    ) throws(Refusal) {
        guard caller.keyThumbprint != nil else {
            if accessToken?.scheme == .dpop { throw .invalidAccessToken }
            return
        }
        let proven = Result { () throws(DPoPFault) in
            try verify(proof(), with: accessToken, now: now, requestID: context.id)
        }
        try use(proven, for: caller.sessionID, from: device, now: now, in: context)
    }

    /// Uses a proof for a bound session. One that does not exist any more, or has ended, demands none: nothing can be done
    /// with it.
    func use(
        _ proof: Result<ProvenKey, DPoPFault>, for id: SessionID, from device: Device, now: Timestamp,
        in context: RequestContext
    ) throws(Refusal) {
        // Without a right proof, nothing is written.
        if case .failure(let fault) = proof { throw refused(fault, in: context) }
        let decision = try store.use(id, now: now) { session in session.decide(on: proof, from: device, at: now) }
        switch decision {
        case nil, .accept: return
        case .refuse(let fault): throw refused(fault, in: context)
        case .end(let ended, _): throw reportStolen(ended, in: context)
        }
    }

    /// Reports that a session was ended because of a proof by another key.
    func reportStolen(_ session: Session, in context: RequestContext) -> Refusal {
        revocations.insert(session.id)
        report(.sessionsEnded(.key, count: 1), context.id)
        report(.sessionKeyMismatch(session: session.id, user: session.userID), context.id)
        return refused(.key, in: context)
    }
}

/// What a proof is worth for a bound session, decided on its row. The store writes the session that a case contains.
package enum ProofDecision: Sendable {
    /// With the proof among the used ones.
    case accept(Session)
    case refuse(DPoPFault)
    /// The proof is right, but by another key: whoever made it has stolen a token.
    case end(Session, recording: AuditEvent)
}

extension Session {
    /// A session that has ended accepts every proof: requests to end it are repeated when their answer was lost.
    package func decide(
        on proof: Result<ProvenKey, DPoPFault>, from device: Device, at now: Timestamp
    ) -> ProofDecision {
        guard let keyThumbprint, revokedAt == nil else { return .accept(self) }
        switch proof {
        case .failure(let fault): return .refuse(fault)
        case .success(let proven) where proven.thumbprint != keyThumbprint:
            let event = AuditEvent(
                .sessionKeyMismatch, at: now, userID: userID, sessionID: id, device: device)
            return .end(ended(for: .key, at: now), recording: event)
        case .success(let proven):
            var session = self
            return session.usedProofs.insert(proven.use, at: now) ? .accept(session) : .refuse(.replayed)
        }
    }
}
