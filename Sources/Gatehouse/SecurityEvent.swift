/// Something that an operator should know of. It names users and sessions by their ids, and holds no token.
package enum SecurityEvent: Sendable, Equatable {
    /// An old refresh token was used again, and the session has been ended for both who hold it.
    case refreshTokenReused(session: SessionID, user: UserID)
}
