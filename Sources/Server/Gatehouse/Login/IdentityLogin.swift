/// A login as the client sends it: the credential, and what an app may know of the user besides. Apple tells a name only at
/// the first login, and only to the app.
package struct IdentityLogin: Sendable {
    package let provider: Provider
    package let credential: IdentityCredential
    package var email: String?
    package var name: PersonName?
    package var nickname: String?
    package var realUserStatus: Int?

    package init(
        provider: Provider = .apple, credential: IdentityCredential, email: String? = nil, name: PersonName? = nil,
        nickname: String? = nil, realUserStatus: Int? = nil
    ) {
        self.provider = provider
        self.credential = credential
        self.email = email
        self.name = name
        self.nickname = nickname
        self.realUserStatus = realUserStatus
    }
}

/// What a way to sign in proves: who it is, to which client, and what has to be redeemed for it.
struct ProvenIdentity {
    let identity: Identity
    let clientID: String
    let issuedAt: Timestamp
    let redemption: Redemption?
    /// The name that the provider knows.
    var nickname: String?
}

extension AuthService {
    /// Logs in by a credential of a provider. An unknown subject becomes a new user.
    package func logIn(
        _ login: IdentityLogin, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        do throws(Refusal) {
            let now = primitives.now()
            // First, because a code can be used once, and a client whose proof is refused for its nonce sends its login again.
            let key = try provenKey(of: keyProof, now: now, in: context)
            let proven = try verify(login, now: now, requestID: context.id)
            return try openSession(
                for: proven, nickname: login.nickname ?? login.name?.displayed ?? proven.nickname, boundTo: key,
                from: device, now: now, in: &context
            ) { user in self.task(for: login, of: user, clientID: proven.clientID, now: now) }
        } catch {
            throw refusedLogin(error, by: login.provider, from: device, in: context)
        }
    }

    /// What a valid credential proves. It is not redeemed yet.
    func verify(_ login: IdentityLogin, now: Timestamp, requestID: String?) throws(Refusal) -> ProvenIdentity {
        let provider = try provider(login.provider)
        let assertion = try provider.verify(login.credential, now: now, requestID: requestID) {
            (code) throws(Refusal) in try spend(code, of: login.provider, now: now)
        }
        let challenge = try challenge(in: login, by: provider.rules, tokenNonce: assertion.unsentNonce, now: now)
        var identity = Identity(assertion, by: login.provider)
        identity.emailHint = login.email
        identity.realUserStatusHint = login.realUserStatus
        let redemption = assertion.tokenHash.map { hash in
            Redemption(
                tokenHash: hash, nonceHash: challenge.map { tokens.hash($0.nonce) }, moment: now,
                grace: provider.rules.replayGrace, expiresAt: max(assertion.expiresAt, challenge?.expiresAt ?? now))
        }
        return ProvenIdentity(
            identity: identity, clientID: assertion.clientID, issuedAt: assertion.issuedAt, redemption: redemption,
            nickname: assertion.nickname)
    }

    /// What is queued at the provider with a login or a link.
    func task(for login: IdentityLogin, of user: UserID, clientID: String, now: Timestamp) -> AppleTask? {
        guard login.provider == .apple else { return nil }
        return exchangeTask(for: login.credential.code, of: user, clientID: clientID, now: now)
    }

    private func provider(_ name: Provider) throws(Refusal) -> any IdentityProvider {
        if name == .apple { return apple }
        guard let provider = providers[name] else { throw .unknownProvider }
        return provider
    }

    /// Marks a code as used before it is exchanged. A provider accepts a code once, so a second exchange, at any node, could
    /// only spoil the first one.
    func spend(_ code: String, of provider: Provider, now: Timestamp) throws(Refusal) {
        let hash = tokens.hash("code \(provider.rawValue) \(code)")
        let redemption = Redemption(
            tokenHash: hash, nonceHash: nil, moment: now, grace: .zero, expiresAt: now + Redemption.codeLifetime)
        guard try store.spend(redemption) else { throw .identity(.replayed, by: provider) }
    }

    /// The challenge that was used as the login's nonce; nil if the nonce is not a challenge.
    private func challenge(
        in login: IdentityLogin, by rules: LoginRules, tokenNonce: String?, now: Timestamp
    ) throws(Refusal) -> Challenge? {
        let nonce = login.credential.nonce
        // An app that uses challenges sends them: a token with one, and without it in the request, is not from that app.
        if nonce == nil, let tokenNonce, tokens.readChallenge(tokenNonce) != nil {
            throw .identity(.nonce(.notSent), by: login.provider)
        }
        let challenge = nonce.flatMap(tokens.readChallenge)
        let fault = Challenge.fault(of: challenge, sentAs: nonce, isRequired: rules.requiresChallenge, now: now)
        if let fault { throw .identity(.nonce(fault), by: login.provider) }
        return challenge
    }
}
