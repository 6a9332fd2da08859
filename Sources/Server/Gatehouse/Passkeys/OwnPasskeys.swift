/// A passkey to be added to a user, and the account that it belongs to.
package struct NewPasskey: Sendable {
    package let passkey: Passkey
    /// Of the account at `PASSKEY`, which the first passkey of a user links.
    package let link: NewLink
    package let event: AuditEntry

    package init(_ passkey: Passkey, link: NewLink, event: AuditEntry) {
        (self.passkey, self.link, self.event) = (passkey, link, event)
    }
}

package enum PasskeyDecision: Sendable, Equatable {
    case add
    /// A user has this credential already.
    case taken
    case tooMany
    /// The challenge was redeemed before, or the user got another handle meanwhile.
    case outdated
    /// The user is not active, or their session has ended.
    case callerEnded
}

/// The passkeys in a store.
package protocol PasskeyStore: Sendable {
    /// With the subject of its account, and the user.
    func passkey(
        _ credentialID: [UInt8]
    ) throws(Refusal) -> (passkey: Passkey, subject: String, user: UserID)?

    /// The oldest first.
    func passkeys(of user: UserID) throws(Refusal) -> [Passkey]

    /// Adds a passkey. The first one links the account.
    func record(_ new: NewPasskey) throws(Refusal) -> PasskeyDecision

    /// Nil if the user has no such passkey.
    func rename(passkey id: String, of user: UserID, to name: String?) throws(Refusal) -> Passkey?

    /// Removes a passkey, and with the last one the account, as `Store.unlink`. The decision is nil if another one is left.
    ///
    /// - Parameter unlinking: recorded as well if the account is unlinked.
    func remove(
        passkey id: String, of user: UserID, recording event: AuditEntry, unlinking: AuditEntry
    ) throws(Refusal) -> (decision: UnlinkDecision?, ended: [EndedSession])
}

// The passkeys of a user who is signed in.
extension AuthService {
    /// The caller's passkeys, and the caller as their authenticators show them; nil for the latter while there is none.
    package func passkeys(
        of caller: Caller
    ) throws(Refusal) -> (rpID: String, user: PasskeyUser?, passkeys: [Passkey]) {
        let rules = try passkeyRules().policy
        let user = try currentUser(caller)
        let account = try store.accounts(of: user.id).first { $0.provider == .passkey }
        return (
            rules.rpID, account.map { user.passkeyUser(handle: $0.subject, rpID: rules.rpID) },
            try store.passkeys(of: user.id)
        )
    }

    /// What a client needs to add a passkey to the caller.
    package func passkeyRegistrationOptions(for caller: Caller) throws(Refusal) -> PasskeyOptions {
        let (rpID, known, passkeys) = try passkeys(of: caller)
        try requireLoginForChange(of: caller, demandsStrength: !passkeys.isEmpty, now: platform.now())
        guard passkeys.count < Passkey.most else { throw .tooManyPasskeys }
        let user: PasskeyUser
        if let known {
            user = known
        } else {
            user = try currentUser(caller).passkeyUser(handle: tokens.passkeyHandle(of: caller.userID), rpID: rpID)
        }
        return try begin(
            .register(caller.userID, handle: user.handle),
            creating: PasskeyOptions.Creation(user: user, excluded: passkeys))
    }

    /// Adds a passkey to the caller.
    package func addPasskey(
        _ presented: PresentedPasskey, named name: String?, to caller: Caller, from device: Device, requestID: String
    ) throws(Refusal) -> Passkey {
        _ = try passkeyRules()
        let now = platform.now()
        // Before the first one, no login is strong.
        let hasPasskey = try !store.passkeys(of: caller.userID).isEmpty
        try requireLoginForChange(of: caller, demandsStrength: hasPasskey, now: now)
        let (ceremony, redemption) = try ceremony(of: presented, now: now)
        return try attempt(redemption) { () throws(Refusal) in
            guard case .register(caller.userID, let handle) = ceremony.purpose else { throw .passkey(.challenge) }
            let registered = try registered(presented, of: ceremony)
            let passkey = newPasskey(registered, named: name, now: now)
            let link = NewLink(
                identity: Identity(provider: .passkey, subject: handle, email: nil), user: caller.userID,
                redemption: redemption, task: nil, isOfGuest: caller.isGuest,
                event: event(.accountLinked, caller.isGuest ? "guest" : nil, of: caller, on: device, now: now),
                hasher: hasher)
            switch try store.record(
                NewPasskey(
                    passkey, link: link, event: event(.passkeyAdded, passkey.id, of: caller, on: device, now: now)))
            {
            case .add:
                if caller.isGuest { reportNewUser(requestID) }
                return passkey
            case .taken: throw .accountAlreadyLinked(.identity)
            case .tooMany: throw .tooManyPasskeys
            case .outdated: throw .passkey(.challenge)
            case .callerEnded: throw try refusal(ofEnded: caller)
            }
        }
    }

    package func renamePasskey(_ id: String, to name: String?, of caller: Caller) throws(Refusal) -> Passkey {
        _ = try passkeyRules()
        guard let passkey = try store.rename(passkey: id, of: caller.userID, to: name) else { throw .noSuchPasskey }
        return passkey
    }

    /// Removes a passkey of the caller. With the last one, the sessions that passkeys opened end, but for the caller's own.
    package func removePasskey(
        _ id: String, of caller: Caller, on device: Device, requestID: String
    ) throws(Refusal) {
        _ = try passkeyRules()
        let now = platform.now()
        try requireLoginForChange(of: asStored(caller), now: now)
        let (decision, ended) = try store.remove(
            passkey: id, of: caller.userID, recording: event(.passkeyRemoved, id, of: caller, on: device, now: now),
            unlinking: event(.accountUnlinked, of: caller, on: device, now: now))
        switch decision {
        case .nothing: throw .noSuchPasskey
        case .last: throw .lastAccount
        case .callerEnded: throw try refusal(ofEnded: caller)
        case .unlink, nil: announce(ended, requestID: requestID)
        }
    }

    private func event(
        _ kind: AuditEntry.Kind, _ detail: String? = nil, of caller: Caller, on device: Device, now: Timestamp
    ) -> AuditEntry {
        AuditEntry(
            kind, at: now, userID: caller.userID, sessionID: caller.sessionID, provider: .passkey, device: device,
            detail: detail)
    }
}

extension User {
    /// Authenticators show the name beside others of the same site, so it is what tells two users of one person apart.
    func passkeyUser(handle: String, rpID: String) -> PasskeyUser {
        let name = email ?? phone ?? nickname ?? rpID
        return PasskeyUser(handle: handle, name: name, displayName: nickname ?? name)
    }
}
