// Guests: users without an account, who try an app before they sign in. A guest signs in by the key of the device, or not again.
// The first account that is linked makes the guest an ordinary user with the same id; triggers of the database see to it. A guest
// whose identity belongs to another user joins that one: `Join`.

extension Provider {
    /// What guests sign in by. No account has it.
    package static let guest = Provider(known: "GUEST")
}

/// Who may be a guest, and for how long.
package struct GuestPolicy: Sendable, Equatable {
    package enum Access: String, Sendable, CaseIterable {
        case off
        /// A guest needs the key of a device. The same key is the same guest.
        case bound
        /// A client without a key gets a new guest each time.
        case open
    }

    package var access: Access
    /// A guest who has not signed in or refreshed for this long is deleted.
    package var lifetime: Duration

    package init(access: Access = .off, lifetime: Duration = .seconds(30 * 86_400)) {
        (self.access, self.lifetime) = (access, lifetime)
    }
}

/// What can happen to guests, for metrics.
package enum GuestEvent: String, Sendable, CaseIterable {
    case made
    /// The guest has linked an account.
    case becameUser = "became_user"
    /// The guest has joined the user to whom the identity belongs.
    case joined
    case expired
}

/// What a new guest is counted by, and how many there may be: as many as a client and a network may ask for codes.
package struct GuestLimits: Sendable {
    package let keys: CodeKeys
    package let quotas: [CodeQuota]

    /// New guests of one network are counted one after the other.
    package var lockName: Identity? {
        keys.network.map { Identity(provider: .guest, subject: "network \($0)", email: nil) }
    }
}

extension AuthService {
    package var guestAccess: GuestPolicy.Access { policy.guests.access }

    /// Makes a guest and opens a session; or opens one of the guest who has this key.
    ///
    /// The proof is all that a guest signs in by: it is used once, and what it opens is bound to its key. A key whose guest has
    /// become a user gets a new guest, because it never was one of the user's ways to sign in.
    package func logInAsGuest(
        nickname: String? = nil, boundBy keyProof: SentProof? = nil, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> LoginResult {
        do throws(Refusal) {
            guard policy.guests.access != .off else { throw .unknownProvider }
            let now = platform.now()
            let key = try provenKey(of: keyProof, now: now, in: context)
            if key == nil, policy.guests.access == .bound { throw refused(.missing, in: context) }
            let subject = key?.thumbprint ?? "open " + tokens.text(of: platform.random(32))
            let proven = ProvenIdentity(
                identity: Identity(provider: .guest, subject: subject, email: nil),
                clientID: policy.defaultClientID, issuedAt: now, redemption: nil)
            let result = try openSession(
                for: proven, nickname: nickname, boundTo: key, as: guestLimits(of: device), from: device, now: now,
                in: &context)
            if result.isNewUser { report(.guests(.made, count: 1), context.id) }
            return result
        } catch {
            throw refusedLogin(error, by: .guest, from: device, in: context)
        }
    }

    private func guestLimits(of device: Device) -> GuestLimits {
        let (client, network) = networkKeys(of: device, by: .guest)
        return GuestLimits(
            keys: CodeKeys(provider: .guest, address: [], client: client, network: network),
            quotas: policy.codes.limits.networkQuotas)
    }
}
