/// What a refresh token says: everything that goes into it but the secret, so that equal claims make equal tokens.
package struct RefreshClaims: Sendable, Equatable {
    package let userID: UserID
    package let sessionID: SessionID
    package let generation: Int64
    package let random: [UInt8]
    package let issuedAt: Timestamp
    package let expiresAt: Timestamp

    package init(
        userID: UserID, sessionID: SessionID, generation: Int64, random: [UInt8], issuedAt: Timestamp,
        expiresAt: Timestamp
    ) {
        self.userID = userID
        self.sessionID = sessionID
        self.generation = generation
        self.random = random
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
