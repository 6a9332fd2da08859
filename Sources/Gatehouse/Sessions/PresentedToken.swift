/// A refresh token whose signature is ours: what it claims, and its SHA-256.
package struct PresentedToken: Sendable, Equatable {
    package let sessionID: SessionID
    package let userID: UserID
    package let generation: Int64
    package let hash: [UInt8]

    package init(sessionID: SessionID, userID: UserID, generation: Int64, hash: [UInt8]) {
        self.sessionID = sessionID
        self.userID = userID
        self.generation = generation
        self.hash = hash
    }
}
