/// Why a session ended before its time.
package enum RevokeReason: String, Sendable, CaseIterable {
    case logout = "logout"
    case logoutEverywhere = "logout_all"
    /// By its user, from the list of their sessions.
    case removed = "removed"
    case reuse = "reuse"
    /// By an operator.
    case revoked = "revoked"
    case userDisabled = "user_disabled"
    case userDeleted = "user_deleted"
    /// By its user, who told Apple.
    case consentRevoked = "consent_revoked"
    /// The user has signed in too often since.
    case sessionLimit = "session_limit"
}
