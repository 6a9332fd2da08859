extension Gatekeeper {
    package var devLoginIsOpen: Bool { policy.devSecretHash != nil }

    /// Signs in by the development secret, where this installation has one.
    package func signIn(_ login: DevLogin, from device: Device) throws(Refusal) -> SignedIn {
        guard let expected = policy.devSecretHash else { throw .devLoginDisabled }
        return try notingRefusal(of: .dev, from: device) { () throws(Refusal) in
            guard world.equal(tokens.hash(login.secret), expected) else { throw .invalidDevSecret }
            let email = login.email.lowercased()
            let identity = Identity(provider: .dev, subject: email, email: email)
            return try signIn(
                identity, nickname: login.nickname, clientID: policy.defaultClientID, from: device, now: world.now())
        }
    }
}
