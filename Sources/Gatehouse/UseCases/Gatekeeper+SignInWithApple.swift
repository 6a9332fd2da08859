/// What an identity token proves, and what is used up by believing it.
struct AppleProof {
    let identity: Identity
    let clientID: String
    let issuedAt: Timestamp
    let redemption: Redemption
}

extension Gatekeeper {
    /// Signs in by an identity token from Apple; a subject never seen before becomes a new user.
    package func signIn(_ login: AppleLogin, from device: Device) throws(Refusal) -> SignedIn {
        try notingRefusal(of: .apple, from: device) { () throws(Refusal) in
            let now = world.now()
            let proof = try prove(login, now: now)
            return try signIn(
                proof.identity, nickname: login.nickname ?? login.name?.displayed, redeeming: proof.redemption,
                clientID: proof.clientID, from: device, now: now
            ) { user in
                exchange(login.credential.authorizationCode, of: user, for: proof.clientID, now: now)
            }
        }
    }

    /// What an identity token proves, and what is used up by believing it.
    func prove(
        _ login: AppleLogin, now: Timestamp
    ) throws(Refusal) -> AppleProof {
        let assertion = try apple.verify(login.credential, now: now)
        let challenge = try challenge(in: login.credential, now: now)
        let identity = Identity(
            provider: .apple, subject: assertion.subject, email: assertion.email,
            emailVerified: assertion.emailVerified, emailHint: login.email, isPrivateEmail: assertion.isPrivateEmail,
            realUserStatus: assertion.realUserStatus, realUserStatusHint: login.realUserStatus,
            transferSubject: assertion.transferSubject)
        let redemption = Redemption(
            tokenHash: assertion.tokenHash, nonceHash: challenge.map { tokens.hash($0.nonce) }, moment: now,
            grace: policy.apple.replayGrace, expiresAt: max(assertion.expiresAt, challenge?.expiresAt ?? now))
        return AppleProof(
            identity: identity, clientID: assertion.audience, issuedAt: assertion.issuedAt, redemption: redemption)
    }

    /// The challenge of ours that a login brings back. One that has expired is refused, also where none is demanded.
    private func challenge(in credential: AppleCredential, now: Timestamp) throws(Refusal) -> Challenge? {
        let challenge = credential.nonce.flatMap(tokens.readChallenge)
        if let challenge, challenge.expiresAt <= now { throw .appleToken(.nonce) }
        if challenge == nil, policy.apple.requiresChallenge { throw .appleToken(.nonce) }
        return challenge
    }
}
