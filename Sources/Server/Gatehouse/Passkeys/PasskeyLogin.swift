/// A passkey that a login uses or brings.
package enum PasskeyProof: Sendable, Equatable {
    case use(PasskeyUse)
    /// That of a user who signs up.
    case new(Passkey)

    package var credentialID: [UInt8] {
        switch self {
        case .use(let use): use.credentialID
        case .new(let passkey): passkey.credentialID
        }
    }
}

extension Login {
    /// Read again in the transaction of the login: another request may have deleted or used the passkey since it was verified.
    func passkeyRefusal(on facts: IdentityFacts) -> LoginRefusal? {
        switch passkey {
        case nil: return nil
        case .new: return facts.passkey == nil && facts.known == nil ? nil : .knownPasskey
        case .use(let use):
            guard facts.known != nil, let stored = facts.passkey else {
                return .passkeyRemoved(credentialID: use.credentialID)
            }
            // WebAuthn, section 7.2, step 22: an authenticator that does not count says 0.
            let isCounted = use.signCount > stored.signCount || use.signCount == 0 && stored.signCount == 0
            return isCounted ? nil : .passkeyCounter(of: facts.known?.user.id)
        }
    }
}

extension AuthService {
    package var hasPasskeys: Bool { policy.passkeys != nil && passkeyVerifier != nil }

    /// What a client needs to sign in by a passkey of any user.
    package func passkeyLoginOptions() throws(Refusal) -> PasskeyOptions { try begin(.login) }

    /// Logs in by a passkey.
    package func logIn(
        by presented: PresentedPasskey, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        let verifier = try passkeyRules().verifier
        do throws(Refusal) {
            let now = platform.now()
            // First, because a client whose proof is refused for its nonce sends its login again.
            let key = try provenKey(of: keyProof, now: now, in: context)
            let (ceremony, redemption) = try ceremony(of: presented, now: now)
            return try attempt(redemption) { () throws(Refusal) in
                guard case .login = ceremony.purpose else { throw .passkey(.challenge) }
                var proven = try proven(
                    by: presented.credential, to: ceremony.challenge, verifier, from: device, now: now)
                proven.redemption = redemption
                return try openSession(
                    for: proven, nickname: nil, boundTo: key, from: device, now: now, in: &context)
            }
        } catch {
            throw refusedLogin(error, by: .passkey, from: device, in: context)
        }
    }

    private func proven(
        by credential: [UInt8], to challenge: [UInt8], _ verifier: any PasskeyVerifier, from device: Device,
        now: Timestamp
    ) throws(Refusal) -> ProvenIdentity {
        let assertion = try refusing { () throws(PasskeyFault) in try verifier.read(assertion: credential) }
        let unknown = Refusal.passkey(.unknown(tokens.text(of: assertion.credentialID)))
        guard let (passkey, subject, user) = try store.passkey(assertion.credentialID) else { throw unknown }
        // Of a sign-in without a user name, the handle has to be there (WebAuthn, section 7.2, step 6).
        guard let handle = assertion.userHandle else {
            throw .passkey(.malformed("userHandle is missing"))
        }
        guard tokens.text(of: handle) == subject else { throw unknown }
        do throws(PasskeyFault) {
            let use = try assertion.verify(challenge: challenge, by: passkey)
            var proven = ProvenIdentity(
                identity: Identity(provider: .passkey, subject: subject, email: nil),
                method: LoginMethod(isUserVerified: use.isUserVerified),
                clientID: policy.defaultClientID, issuedAt: now)
            proven.passkey = .use(use)
            return proven
        } catch {
            if error == .counter { auditCounter(of: user, from: device) }
            throw .passkey(error)
        }
    }

    /// Adds an attempt to the audit trail of the user whose passkey may exist twice.
    func auditCounter(of user: UserID?, from device: Device) {
        refusals.add(
            AuditEntry(
                .loginRefused, at: platform.now(), userID: user, provider: .passkey, device: device,
                detail: PasskeyFault.counter.reason))
    }
}

// MARK: - Sign-up

extension AuthService {
    /// What a client needs to make the passkey of a new user.
    ///
    /// - Parameter contact: a mail address or a phone number, as the user has written it.
    package func passkeySignUpOptions(nickname: String?, contact: String?) throws(Refusal) -> PasskeyOptions {
        let rules = try passkeyRules().policy
        let contact = try contact.map { text throws(Refusal) in try contactForm(of: text) }
        let handle = tokens.text(of: platform.random(passkeyHandleBytes))
        let user = PasskeyUser(
            handle: handle, name: contact ?? nickname ?? rules.rpID,
            displayName: nickname ?? contact ?? rules.rpID)
        return try begin(
            .signUp(PasskeyCeremony.SignUp(handle: handle, nickname: nickname, contact: contact)),
            creating: PasskeyOptions.Creation(user: user, excluded: []))
    }

    /// The one form of an address, as a code to it would have it. No message is sent, so every country is served.
    private func contactForm(of text: String) throws(Refusal) -> String {
        do throws(AddressFault) {
            if text.utf8.contains(UInt8(ascii: "@")) { return try EmailAddress(text).text }
            return try PhoneNumber(ofAnyKind: text, defaultCountry: policy.codes.defaultCountry).text
        } catch {
            throw .invalidContact(error)
        }
    }

    /// Creates a user who has a passkey alone, and logs in. The contact is kept as what the client said: it finds nobody.
    ///
    /// - Parameter profile: takes the place of what was sent for the options. A sheet of the system gives it with the passkey.
    package func signUp(
        by presented: PresentedPasskey, _ profile: (nickname: String?, contact: String?) = (nil, nil),
        boundBy keyProof: SentProof? = nil, from device: Device, in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        _ = try passkeyRules()
        do throws(Refusal) {
            let now = platform.now()
            let key = try provenKey(of: keyProof, now: now, in: context)
            let contact = try profile.contact.map { text throws(Refusal) in try contactForm(of: text) }
            let (ceremony, redemption) = try ceremony(of: presented, now: now)
            return try attempt(redemption) { () throws(Refusal) in
                guard case .signUp(let signUp) = ceremony.purpose else { throw .passkey(.challenge) }
                let registered = try registered(presented, of: ceremony)
                let proven = proven(by: registered, signUp, contact ?? signUp.contact, redemption)
                return try openSession(
                    for: proven, nickname: profile.nickname ?? signUp.nickname, boundTo: key, from: device, now: now,
                    in: &context)
            }
        } catch {
            throw refusedLogin(error, by: .passkey, from: device, in: context)
        }
    }

    private func proven(
        by registered: RegisteredPasskey, _ signUp: PasskeyCeremony.SignUp, _ contact: String?, _ redemption: Redemption
    ) -> ProvenIdentity {
        let identity = Identity(provider: .passkey, subject: signUp.handle, email: nil, emailHint: contact)
        var proven = ProvenIdentity(
            identity: identity, method: LoginMethod(isUserVerified: registered.isUserVerified),
            clientID: policy.defaultClientID, issuedAt: redemption.moment, redemption: redemption)
        proven.passkey = .new(newPasskey(registered, named: nil, now: redemption.moment))
        return proven
    }

    func newPasskey(_ registered: RegisteredPasskey, named name: String?, now: Timestamp) -> Passkey {
        Passkey(
            id: ULID.make("passkey", at: now, random: platform.random(ULID.randomBytes)),
            credentialID: registered.credentialID, publicKey: registered.publicKey, algorithm: registered.algorithm,
            signCount: registered.signCount, transports: registered.transports,
            isBackupEligible: registered.isBackupEligible, isBackedUp: registered.isBackedUp,
            aaguid: registered.aaguid, name: name, createdAt: now)
    }
}

extension LoginMethod {
    fileprivate init(isUserVerified: Bool) { self = isUserVerified ? .verifiedPasskey : .passkey }
}
