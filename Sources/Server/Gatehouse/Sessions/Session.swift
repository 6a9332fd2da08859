/// A login and its refreshes: one row for its whole life, which describes its current refresh token.
package struct Session: Sendable, Equatable {
    package let id: SessionID
    package let userID: UserID
    package var provider: Provider
    /// The app that logged in: the audience of its identity token.
    package var clientID: String
    /// The device that logged in.
    package var device: Device
    /// The device of the last rotation; nil before the first one.
    package var rotationDevice: Device?
    package var createdAt: Timestamp
    package var token: SessionToken
    /// When a client first used the current token, or an access token issued with it. Nil when none has: then the
    /// client may not have received the tokens.
    package var confirmedAt: Timestamp?
    /// SHA-256 of the previous refresh token. A retry must present that token.
    package var previousHash: [UInt8]?
    /// Nil for a session that was opened before chains were kept, until its next rotation.
    package var chain: TokenChain?
    /// How often the current token was returned again.
    package var repeats: Int64
    /// How often a token of the session was repeated from another device than the one that rotated it.
    package var repeatsElsewhere: Int64
    /// The device of the last of these repeats.
    package var repeatDevice: Device?
    package var revokedAt: Timestamp?
    package var revokeReason: RevokeReason?
    /// The key to which the login has bound the session: its RFC 7638 thumbprint. Nil for a session that is not bound.
    package var keyThumbprint: String?
    /// Nil for a login without a word for it, and for one before methods were kept.
    package var method: LoginMethod?
    /// Only of a bound session.
    package var usedProofs: UsedProofs

    package init(
        id: SessionID, userID: UserID, provider: Provider, clientID: String, device: Device,
        rotationDevice: Device? = nil, createdAt: Timestamp, token: SessionToken, confirmedAt: Timestamp? = nil,
        previousHash: [UInt8]? = nil, chain: TokenChain? = nil, repeats: Int64 = 0, repeatsElsewhere: Int64 = 0,
        repeatDevice: Device? = nil, revokedAt: Timestamp? = nil, revokeReason: RevokeReason? = nil,
        keyThumbprint: String? = nil, method: LoginMethod? = nil, usedProofs: UsedProofs = UsedProofs()
    ) {
        self.id = id
        self.userID = userID
        self.provider = provider
        self.clientID = clientID
        self.device = device
        self.rotationDevice = rotationDevice
        self.createdAt = createdAt
        self.token = token
        self.confirmedAt = confirmedAt
        self.previousHash = previousHash
        self.chain = chain
        self.repeats = repeats
        self.repeatsElsewhere = repeatsElsewhere
        self.repeatDevice = repeatDevice
        self.revokedAt = revokedAt
        self.revokeReason = revokeReason
        self.keyThumbprint = keyThumbprint
        self.method = method
        self.usedProofs = usedProofs
    }

    /// Whether a refresh, a logout or a change of the account demands a proof.
    package var isBound: Bool { keyThumbprint != nil }

    /// The device that received the newest refresh token.
    package var lastDevice: Device { repeatDevice ?? issuingDevice }

    /// The device to which the newest refresh token was issued, by a rotation or by the login.
    package var issuingDevice: Device { rotationDevice ?? device }

    /// A client that repeats a refresh this often in a row either cannot receive the answer, or is not alone. The same limit
    /// holds for the repeats of a session from another device than the one that rotated.
    package static let reportedRepeats: Int64 = 3

    /// Whether the device is another one than the one to which the newest refresh token was issued.
    package func isElsewhere(_ device: Device) -> Bool { !device.resembles(issuingDevice) }

    /// Whether a repeat is stored: it is one of the first, or changes the last device.
    func countsRepeat(from device: Device) -> Bool {
        repeats < Self.reportedRepeats || device != lastDevice
            || repeatsElsewhere < Self.reportedRepeats && isElsewhere(device)
    }
}

// The changes of a session. Stores write the results; only `reset` in `Records/Refreshes.swift` repeats what `advanced` clears.
extension Session {
    /// With the next token. Clears the confirmation and the repeats of the superseded token.
    package func advanced(to next: SessionToken, in chain: TokenChain, from device: Device) -> Session {
        var session = self
        session.previousHash = token.hash
        (session.token, session.chain, session.rotationDevice) = (next, chain, device)
        (session.confirmedAt, session.repeats, session.repeatDevice) = (nil, 0, nil)
        return session
    }

    /// With one more repeat of the current token.
    package func repeated(from device: Device) -> Session {
        var session = self
        (session.repeats, session.repeatDevice) = (repeats + 1, device)
        if isElsewhere(device) { session.repeatsElsewhere += 1 }
        return session
    }

    package func ended(for reason: RevokeReason, at moment: Timestamp) -> Session {
        var session = self
        (session.revokedAt, session.revokeReason) = (moment, reason)
        return session
    }
}

/// The id of a session, which is also the id of its row in `refresh_tokens`: `sess_01J…`.
package struct SessionID: Sendable, Hashable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}

/// What the store keeps of a refresh token. With the signing secret it is enough to write the same token again, byte
/// for byte. Neither is of use without the other.
package struct SessionToken: Sendable, Equatable {
    package static let randomBytes = 16

    package var generation: Int64
    package var random: [UInt8]
    package var issuedAt: Timestamp
    package var expiresAt: Timestamp
    package var hash: [UInt8]

    package init(generation: Int64, random: [UInt8], issuedAt: Timestamp, expiresAt: Timestamp, hash: [UInt8]) {
        self.generation = generation
        self.random = random
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.hash = hash
    }
}

/// How the tokens before the previous one are recognised: of these the row has no hash.
///
/// A *burst* is a series of rotations that follow each other within `RefreshPolicy.reuseGrace`, as when several processes of
/// an app refresh without knowing of each other. It begins with the rotation of a token that was current for longer.
package struct TokenChain: Sendable, Equatable {
    package static let seedBytes = 16

    package struct Burst: Sendable, Equatable {
        /// The generation that was superseded first.
        package let generation: Int64
        package let supersededAt: Timestamp

        package init(generation: Int64, supersededAt: Timestamp) {
            (self.generation, self.supersededAt) = (generation, supersededAt)
        }
    }

    /// The secret from which the random parts of the session's tokens are derived. So a token of any generation is
    /// recognised, and a leaked signing secret alone does not make one.
    package let seed: [UInt8]
    /// The last burst; nil before the first rotation.
    package var burst: Burst?

    package init(seed: [UInt8], burst: Burst? = nil) {
        (self.seed, self.burst) = (seed, burst)
    }
}

/// A session that a change of the store has ended.
package struct EndedSession: Sendable, Equatable {
    package let id: SessionID
    package let reason: RevokeReason

    package init(_ id: SessionID, for reason: RevokeReason) {
        (self.id, self.reason) = (id, reason)
    }
}

/// Why a session was ended before it expired.
package enum RevokeReason: String, Sendable, CaseIterable {
    case logout = "logout"
    case logoutEverywhere = "logout_all"
    /// The user ended it in the list of their sessions.
    case removed = "removed"
    case reuse = "reuse"
    /// The code that opened it was used again.
    case codeReuse = "code_reuse"
    /// A token of a bound session was used with a proof by another key.
    case key = "key"
    /// An operator ended it.
    case revoked = "revoked"
    case userDisabled = "user_disabled"
    case userDeleted = "user_deleted"
    /// The user withdrew consent at Apple.
    case consentRevoked = "consent_revoked"
    /// The user removed the account by which it was opened.
    case accountUnlinked = "account_unlinked"
    /// A provider reported that the user's account there is not safe, or that the user withdrew consent there.
    case providerEvent = "provider_event"
    /// Newer logins exceeded the number of sessions that a user may have.
    case sessionLimit = "session_limit"
}
