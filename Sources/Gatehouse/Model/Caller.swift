/// Who sent a request, as its access token says.
package struct Caller: Sendable, Equatable {
    package let userID: UserID
    package let sessionID: SessionID
    package let role: Role

    package init(userID: UserID, sessionID: SessionID, role: Role) {
        self.userID = userID
        self.sessionID = sessionID
        self.role = role
    }
}
