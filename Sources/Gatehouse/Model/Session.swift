/// A login that goes on: one row for its whole life, describing its current refresh token.
package struct Session: Sendable, Equatable {
    package let id: SessionID
    package let userID: UserID
    package let provider: Provider
    /// The app that signed in: the audience of its identity token.
    package let clientID: String
    /// The device that signed in.
    package let device: Device
    /// The device of the last rotation; nil before the first one.
    package var rotationDevice: Device?
    package let createdAt: Timestamp
    package var token: SessionToken
    /// SHA-256 of the token before the current one; a retry within the grace must prove that it holds that token.
    package var previousHash: [UInt8]?
    package var revokedAt: Timestamp?
    package var revokeReason: RevokeReason?

    package init(
        id: SessionID, userID: UserID, provider: Provider, clientID: String, device: Device,
        rotationDevice: Device? = nil, createdAt: Timestamp, token: SessionToken, previousHash: [UInt8]? = nil,
        revokedAt: Timestamp? = nil,
        revokeReason: RevokeReason? = nil
    ) {
        self.id = id
        self.userID = userID
        self.provider = provider
        self.clientID = clientID
        self.device = device
        self.rotationDevice = rotationDevice
        self.createdAt = createdAt
        self.token = token
        self.previousHash = previousHash
        self.revokedAt = revokedAt
        self.revokeReason = revokeReason
    }

    /// The device that was last given a new refresh token.
    package var lastDevice: Device { rotationDevice ?? device }
}
