extension Gatekeeper {
    /// Signs in by an identity token from Apple; a subject never seen before becomes a new user.
    package func signIn(_ login: AppleLogin, from device: Device) throws(Refusal) -> SignedIn {
        try notingRefusal(of: .apple, from: device) { () throws(Refusal) in
            try signInNow(login, from: device)
        }
    }

    private func signInNow(_ login: AppleLogin, from device: Device) throws(Refusal) -> SignedIn {
        let now = world.now()
        let assertion = try apple.verify(login.credential, now: now)
        let identity = Identity(
            provider: .apple, subject: assertion.subject, email: assertion.email, emailHint: login.email,
            isPrivateEmail: assertion.isPrivateEmail,
            realUserStatus: assertion.realUserStatus ?? login.realUserStatus)
        return try signIn(
            identity, nickname: login.nickname ?? login.name?.displayed, clientID: assertion.audience, from: device,
            now: now)
    }
}
