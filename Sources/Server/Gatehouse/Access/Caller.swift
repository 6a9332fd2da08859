/// The user and session that an access token names.
package struct Caller: Sendable, Equatable {
    package let userID: UserID
    package let sessionID: SessionID
    /// The generation of the refresh token that the access token was issued with. 0 for a token that does not contain
    /// it.
    package let generation: Int64
    package let role: Role
    /// The time of the session's login. 1970 for a token that does not contain it: such a login counts as too old.
    package let authenticatedAt: Timestamp
    /// The key to which the session is bound; nil for a session that is not bound.
    package let keyThumbprint: String?
    /// How much the session's login proves. The least for a token that does not contain it.
    package let strength: LoginStrength
    /// Whether the user had no phone number when the token was issued, and the settings require one.
    package let needsPhone: Bool
    /// Whether the user is a guest. Until it has been compared with what has changed since, whether the token says so.
    package var isGuest: Bool
    /// The part of the user's attributes that the token contains.
    package let attributes: Attributes

    package init(
        userID: UserID, sessionID: SessionID, generation: Int64, role: Role, authenticatedAt: Timestamp,
        keyThumbprint: String? = nil, strength: LoginStrength = .single, needsPhone: Bool = false,
        isGuest: Bool = false, attributes: Attributes = .none
    ) {
        self.userID = userID
        self.sessionID = sessionID
        self.generation = generation
        self.role = role
        self.authenticatedAt = authenticatedAt
        self.keyThumbprint = keyThumbprint
        self.strength = strength
        self.needsPhone = needsPhone
        self.isGuest = isGuest
        self.attributes = attributes
    }
}

/// An access token as a request sends it: with the scheme that it is sent by.
package struct SentAccessToken: Sendable {
    package enum Scheme: Sendable {
        case bearer
        case dpop
    }

    package let bytes: ArraySlice<UInt8>
    package let scheme: Scheme

    package init(_ bytes: ArraySlice<UInt8>, scheme: Scheme = .bearer) {
        (self.bytes, self.scheme) = (bytes, scheme)
    }
}
