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

extension AuthService {
    /// Logs in by a credential of a provider. An unknown subject becomes a new user.
    package func logIn(
        _ login: IdentityLogin, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        do throws(Refusal) {
            let now = platform.now()
            // First, because a code can be used once, and a client whose proof is refused for its nonce sends its login again.
            let key = try provenKey(of: keyProof, now: now, in: context)
            let proven = try verify(login, now: now, requestID: context.id)
            return try openSession(
                for: proven, nickname: login.nickname ?? login.name?.displayed ?? proven.nickname, boundTo: key,
                from: device, now: now, in: &context)
        } catch {
            throw refusedLogin(error, by: login.provider, from: device, in: context)
        }
    }

    /// What a valid credential proves. It is not redeemed yet.
    func verify(_ login: IdentityLogin, now: Timestamp, requestID: String?) throws(Refusal) -> ProvenIdentity {
        guard let provider = providers[login.provider] else { throw .unknownProvider }
        var proven = try provider.verify(
            login.credential, in: Verification(now: now, requestID: requestID, codes: self))
        let challenge = try challenge(
            in: login, isRequired: provider.requiresChallenge, tokenNonce: proven.unsentNonce, now: now)
        proven.identity.emailHint = login.email
        proven.identity.realUserStatusHint = login.realUserStatus
        proven.redemption = proven.redemption?.with(challenge.map { (tokens.hash($0.nonce), $0.expiresAt) })
        return proven
    }

    /// The challenge that was used as the login's nonce; nil if the nonce is not a challenge.
    private func challenge(
        in login: IdentityLogin, isRequired: Bool, tokenNonce: String?, now: Timestamp
    ) throws(Refusal) -> Challenge? {
        let nonce = login.credential.nonce
        // An app that uses challenges sends them: a token with one, and without it in the request, is not from that app.
        if nonce == nil, let tokenNonce, tokens.readChallenge(tokenNonce) != nil {
            throw .identity(.nonce(.notSent), by: login.provider)
        }
        let challenge = nonce.flatMap(tokens.readChallenge)
        let fault = Challenge.fault(of: challenge, sentAs: nonce, isRequired: isRequired, now: now)
        if let fault { throw .identity(.nonce(fault), by: login.provider) }
        return challenge
    }
}
