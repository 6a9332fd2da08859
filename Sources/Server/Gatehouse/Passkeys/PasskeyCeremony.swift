/// What a challenge for an authenticator was made for. The client has it encrypted, as `passkeyId`: so no row is written for a
/// request that anybody can send, and any node can go on. The challenge is redeemed in the transaction that it permits.
package struct PasskeyCeremony: Sendable, Equatable {
    package enum Purpose: Sendable, Equatable {
        case login
        case signUp(SignUp)
        /// Of a user who is signed in, under this user handle.
        case register(UserID, handle: String)
    }

    /// A user to be created.
    package struct SignUp: Sendable, Equatable {
        package let handle: String
        package let nickname: String?
        /// A mail address or a phone number in its one form. Nothing has proven it.
        package let contact: String?

        package init(handle: String, nickname: String?, contact: String?) {
            (self.handle, self.nickname, self.contact) = (handle, nickname, contact)
        }
    }

    /// A page may wait for a passkey as long as it is open, and asks for a new challenge in time.
    package static let lifetime = Duration.seconds(600)

    package let purpose: Purpose
    package let challenge: [UInt8]
    package let expiresAt: Timestamp

    package init(_ purpose: Purpose, challenge: [UInt8], expiresAt: Timestamp) {
        (self.purpose, self.challenge, self.expiresAt) = (purpose, challenge, expiresAt)
    }

    /// One that ends later than any that is made now was made by a clock that was wrong.
    func isAlive(now: Timestamp) -> Bool {
        now < expiresAt && expiresAt <= now + Self.lifetime + ClockAgreement.readinessLimit
    }
}

/// Encrypts ceremonies. `JWTTokenService` implements it, with a key that is used for nothing else.
package protocol PasskeyCeremonies: Sendable {
    func seal(_ ceremony: PasskeyCeremony) -> String

    /// Nil for a text that this installation did not make.
    func openCeremony(_ text: String) -> PasskeyCeremony?

    /// The user handle of a user who has no passkey yet: random to others, and the same each time, so that two registrations at
    /// the same time have the same.
    func passkeyHandle(of user: UserID) -> String
}

/// What a client hands to `navigator.credentials`, or to its like in an app.
package struct PasskeyOptions: Sendable {
    /// The sealed ceremony.
    package let id: String
    package let challenge: [UInt8]
    package let rules: PasskeyPolicy
    /// Nil for a sign-in. Then any passkey of the site is asked for, so that the answer tells nothing about users.
    package let creation: Creation?

    package struct Creation: Sendable {
        package let user: PasskeyUser
        /// Those that the user has: their authenticators make no second one.
        package let excluded: [Passkey]
    }
}

/// The user as authenticators show them.
package struct PasskeyUser: Sendable, Equatable {
    /// The user handle in base64url.
    package let handle: String
    package let name: String
    package let displayName: String
}

/// The answer of an authenticator, with the id of the ceremony.
package struct PresentedPasskey: Sendable {
    package let id: String
    /// JSON, as `toJSON` makes it.
    package let credential: [UInt8]

    package init(id: String, credential: [UInt8]) {
        (self.id, self.credential) = (id, credential)
    }
}

extension AuthService {
    var passkeyHandleBytes: Int { 32 }

    /// Passkeys are off without the domain to which they belong.
    func passkeyRules() throws(Refusal) -> (policy: PasskeyPolicy, verifier: any PasskeyVerifier) {
        guard let rules = policy.passkeys, let passkeyVerifier else { throw .unknownProvider }
        return (rules, passkeyVerifier)
    }

    func begin(_ purpose: PasskeyCeremony.Purpose, creating creation: PasskeyOptions.Creation? = nil) throws(Refusal)
        -> PasskeyOptions
    {
        var rules = try passkeyRules().policy
        if creation != nil, demandsVerifiedPasskeys { rules.userVerification = .required }
        let ceremony = PasskeyCeremony(
            purpose, challenge: platform.random(32), expiresAt: platform.now() + PasskeyCeremony.lifetime)
        return PasskeyOptions(
            id: tokens.seal(ceremony), challenge: ceremony.challenge, rules: rules, creation: creation)
    }

    /// Whether only a passkey that verifies its user may be created: the user of another one could change nothing with it.
    private var demandsVerifiedPasskeys: Bool { policy.sensitiveStrength == .twoFactors }

    /// The new passkey in an answer.
    func registered(_ presented: PresentedPasskey, of ceremony: PasskeyCeremony) throws(Refusal) -> RegisteredPasskey {
        let verifier = try passkeyRules().verifier
        let registered = try refusing { () throws(PasskeyFault) in
            try verifier.verify(registration: presented.credential, challenge: ceremony.challenge)
        }
        guard registered.isUserVerified || !demandsVerifiedPasskeys else { throw .passkey(.userVerification) }
        return registered
    }

    /// The ceremony of an answer, and what redeems its challenge.
    func ceremony(
        of presented: PresentedPasskey, now: Timestamp
    ) throws(Refusal) -> (ceremony: PasskeyCeremony, redemption: Redemption) {
        guard let ceremony = tokens.openCeremony(presented.id), ceremony.isAlive(now: now) else {
            throw .passkey(.challenge)
        }
        let hash = tokens.hash("passkey " + tokens.text(of: ceremony.challenge))
        return (ceremony, Redemption(tokenHash: hash, moment: now, expiresAt: ceremony.expiresAt))
    }

    /// Runs what a challenge permits, which redeems it. A refusal uses it up as well, so that each challenge has one attempt.
    func attempt<Result>(
        _ redemption: Redemption, _ body: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        do throws(Refusal) { return try body() } catch {
            if case .storageUnavailable = error { throw error }
            guard try store.spend(redemption) else { throw .passkey(.challenge) }
            throw error
        }
    }
}

/// Where a fault of a passkey becomes the refusal of a request.
func refusing<Result>(_ body: () throws(PasskeyFault) -> Result) throws(Refusal) -> Result {
    do throws(PasskeyFault) { return try body() } catch { throw .passkey(error) }
}
