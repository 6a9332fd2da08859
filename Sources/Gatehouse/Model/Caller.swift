/// Who sent a request, as its access token says.
package struct Caller: Sendable, Equatable {
    package let userID: UserID
    package let sessionID: SessionID
    package let role: Role
    /// When the session's login was; the distant past where the token does not say.
    package let authenticatedAt: Timestamp

    package init(userID: UserID, sessionID: SessionID, role: Role, authenticatedAt: Timestamp) {
        self.userID = userID
        self.sessionID = sessionID
        self.role = role
        self.authenticatedAt = authenticatedAt
    }
}
