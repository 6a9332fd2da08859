/// A login by a shared secret, for development.
package struct DevLogin: Sendable {
    package let email: String
    package let secret: String
    package var nickname: String?

    package init(email: String, secret: String, nickname: String? = nil) {
        (self.email, self.secret, self.nickname) = (email, secret, nickname)
    }
}

extension AuthService {
    package var allowsDevLogin: Bool { policy.devSecretHash != nil }

    package func logIn(
        _ login: DevLogin, boundBy keyProof: SentProof? = nil, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        guard let expected = policy.devSecretHash else { throw .devLoginDisabled }
        do throws(Refusal) {
            guard platform.equal(tokens.hash(login.secret), expected) else { throw .invalidDevSecret }
            let email = login.email.lowercased()
            let now = platform.now()
            let proven = ProvenIdentity(
                identity: Identity(provider: .dev, subject: email, email: email), clientID: policy.defaultClientID,
                issuedAt: now, redemption: nil)
            let key = try provenKey(of: keyProof, now: now, in: context)
            return try openSession(
                for: proven, nickname: login.nickname, boundTo: key, from: device, now: now, in: &context)
        } catch {
            throw refusedLogin(error, by: .dev, from: device, in: context)
        }
    }
}
