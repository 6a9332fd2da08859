/// A login by a shared secret, for development.
package struct DevLogin: Sendable {
    package let email: String
    package let secret: String
    package var nickname: String?

    package init(email: String, secret: String, nickname: String? = nil) {
        self.email = email
        self.secret = secret
        self.nickname = nickname
    }
}

extension AuthService {
    package var allowsDevLogin: Bool { policy.devSecretHash != nil }

    package func logIn(
        _ login: DevLogin, boundBy keyProof: SentProof? = nil, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        guard let expected = policy.devSecretHash else { throw .devLoginDisabled }
        do throws(Refusal) {
            guard primitives.equal(tokens.hash(login.secret), expected) else { throw .invalidDevSecret }
            let email = login.email.lowercased()
            let now = primitives.now()
            let proof = Proof(
                identity: Identity(provider: .dev, subject: email, email: email), clientID: policy.defaultClientID,
                issuedAt: now, redemption: nil)
            return try openSession(
                for: proof, nickname: login.nickname, boundBy: keyProof, from: device, now: now, in: &context)
        } catch {
            throw refusedLogin(error, by: .dev, from: device, in: context)
        }
    }
}
