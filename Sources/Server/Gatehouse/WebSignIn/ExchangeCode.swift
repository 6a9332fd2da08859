/// A code as an app presents it.
package struct CodeGrant: Sendable {
    package let code: String
    package let codeVerifier: String
    /// Where the app got the code; nil if it does not say.
    package var redirectURI: String?

    package init(code: String, codeVerifier: String, redirectURI: String? = nil) {
        (self.code, self.codeVerifier, self.redirectURI) = (code, codeVerifier, redirectURI)
    }
}

extension AuthService {
    /// Logs in by the code of a sign-in through a browser. An unknown subject becomes a new user.
    ///
    /// A second use ends the session that the first one has opened (RFC 6749, section 4.1.2): one of the two was made by an
    /// attacker.
    package func exchange(
        _ grant: CodeGrant, nickname: String? = nil, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        let now = platform.now()
        // First, because a client whose proof is refused for its nonce sends its code again.
        let key = try provenKey(of: keyProof, now: now, in: context)
        do throws(Refusal) {
            let result = try logIn(by: grant, nickname, boundTo: key, from: device, now: now, in: &context)
            report(.webSignIn(.exchanged), context.id)
            return result
        } catch {
            if error == .invalidGrant { report(.webSignIn(.exchangeRefused), context.id) }
            throw error
        }
    }

    private func logIn(
        by grant: CodeGrant, _ nickname: String?, boundTo key: ProvenKey?, from device: Device, now: Timestamp,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        let hash = tokens.hash(grant.code)
        guard let code = try store.authorizationCode(hash) else { throw .invalidGrant }
        guard code.sessionID == nil else { throw try secondUse(of: code, from: device, in: context) }
        guard code.isAlive(now: now), permits(grant, code),
            var proof = tokens.open(code.sealedProof, withCode: grant.code)
        else { throw .invalidGrant }
        if let wanted = code.demands.keyThumbprint, wanted != key?.thumbprint {
            throw refused(key == nil ? .missing : .key, in: context)
        }
        proof.redemption = Redemption(
            tokenHash: code.hash, moment: now, expiresAt: code.expiresAt + StoredAuthorizationCode.memory,
            isAuthorizationCode: true)
        do throws(Refusal) {
            return try openSession(
                for: proof, nickname: nickname ?? proof.nickname, boundTo: key, from: device, now: now, in: &context)
        } catch .identity(.replayed, _) {
            // Another request has used the code since it was read.
            guard let used = try store.authorizationCode(hash) else { throw .invalidGrant }
            throw try secondUse(of: used, from: device, in: context)
        } catch {
            throw refusedLogin(error, by: proof.identity.provider, from: device, in: context)
        }
    }

    private func permits(_ grant: CodeGrant, _ code: StoredAuthorizationCode) -> Bool {
        let hasAddress = grant.redirectURI.map { $0.utf8.elementsEqual(code.redirectURI.utf8) } ?? true
        return hasAddress && policy.web.permits(redirectURI: code.redirectURI)
            && tokens.isCodeVerifier(grant.codeVerifier, of: code.demands.codeChallenge)
    }

    /// Ends the session of the first use, and returns the refusal.
    private func secondUse(
        of code: StoredAuthorizationCode, from device: Device, in context: RequestContext
    ) throws(Refusal) -> Refusal {
        guard let id = code.sessionID, let (session, _) = try store.session(id) else { return .invalidGrant }
        let event = AuditEntry(
            .authorizationCodeReused, at: platform.now(), userID: session.userID, sessionID: id,
            provider: session.provider, device: device)
        try end(id, for: .codeReuse, recording: event, in: context)
        return .invalidGrant
    }
}
