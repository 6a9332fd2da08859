/// A login with Apple as the client sends it: the credential, and what Apple gives to the app only at the first login.
package struct AppleLogin: Sendable {
    package let credential: AppleCredential
    package var email: String?
    package var name: PersonName?
    package var nickname: String?
    package var realUserStatus: Int?

    package init(
        credential: AppleCredential, email: String? = nil, name: PersonName? = nil, nickname: String? = nil,
        realUserStatus: Int? = nil
    ) {
        self.credential = credential
        self.email = email
        self.name = name
        self.nickname = nickname
        self.realUserStatus = realUserStatus
    }
}

extension AuthService {
    /// Logs in by an identity token from Apple. An unknown subject becomes a new user.
    package func logIn(
        _ login: AppleLogin, boundBy keyProof: SentProof? = nil, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        do throws(Refusal) {
            let now = primitives.now()
            let proof = try verify(login, now: now, requestID: context.id)
            return try openSession(
                for: proof, nickname: login.nickname ?? login.name?.displayed, boundBy: keyProof, from: device,
                now: now, in: &context
            ) { user in
                exchangeTask(for: login.credential.authorizationCode, of: user, clientID: proof.clientID, now: now)
            }
        } catch {
            throw refusedLogin(error, by: .apple, from: device, in: context)
        }
    }

    /// What a valid identity token proves. It is not redeemed yet.
    func verify(_ login: AppleLogin, now: Timestamp, requestID: String?) throws(Refusal) -> Proof {
        let assertion = try apple.verify(login.credential, now: now, requestID: requestID)
        let challenge = try challenge(in: login.credential, now: now)
        let identity = Identity(
            provider: .apple, subject: assertion.subject, email: assertion.email,
            emailVerified: assertion.emailVerified, emailHint: login.email, isPrivateEmail: assertion.isPrivateEmail,
            realUserStatus: assertion.realUserStatus, realUserStatusHint: login.realUserStatus,
            transferSubject: assertion.transferSubject)
        let redemption = Redemption(
            tokenHash: assertion.tokenHash, nonceHash: challenge.map { tokens.hash($0.nonce) }, moment: now,
            grace: policy.apple.replayGrace, expiresAt: max(assertion.expiresAt, challenge?.expiresAt ?? now))
        return Proof(
            identity: identity, clientID: assertion.audience, issuedAt: assertion.issuedAt, redemption: redemption)
    }

    /// The challenge that was used as the login's nonce; nil if the nonce is not a challenge.
    private func challenge(in credential: AppleCredential, now: Timestamp) throws(Refusal) -> Challenge? {
        let challenge = credential.nonce.flatMap(tokens.readChallenge)
        let fault = Challenge.fault(
            of: challenge, sentAs: credential.nonce, isRequired: policy.apple.requiresChallenge, now: now)
        if let fault { throw .appleToken(.nonce(fault)) }
        return challenge
    }
}
