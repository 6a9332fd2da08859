package import Gatehouse

/// A login with the session that it opens.
package struct LoginFixture {
    /// The user to create if the identity has none.
    package let user: User
    package let session: Session
    package let identity: Identity
    package var nickname: String?
    package var redemption: Redemption?
    package var passkey: PasskeyProof?
    package var key: ProvenKey?
    package var task: AppleTask?

    package init(
        of user: User, _ session: Session, as identity: Identity, nickname: String? = nil,
        redemption: Redemption? = nil, task: AppleTask? = nil
    ) {
        self.user = user
        self.session = session
        self.identity = identity
        self.nickname = nickname
        self.redemption = redemption
        self.task = task
    }

    package var login: Login {
        Login(
            identity: identity, nickname: nickname, redemption: redemption, passkey: passkey, key: key,
            moment: session.createdAt, userAgent: session.device.userAgent, hasher: PlainHashes())
    }

    /// By the domain's rules, with the session of the fixture.
    package func decide(on facts: IdentityFacts) -> LoginDecision {
        if let refusal = login.refusal(on: facts) { return .refuse(refusal) }
        let user = login.user(on: facts) ?? user
        let session = Session(
            id: session.id, userID: user.id, provider: session.provider, clientID: session.clientID,
            device: session.device, createdAt: session.createdAt, token: session.token, chain: session.chain,
            keyThumbprint: session.keyThumbprint, method: session.method)
        return .accept(
            AcceptedLogin(login, of: user, on: facts, opening: session, refreshToken: "", queueing: task))
    }
}
