/// What the audit trail keeps of something that happened to an account. It never holds a token.
package struct AuditEvent: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case login = "login"
        case loginRefused = "login_refused"
        case refreshRefused = "refresh_refused"
        case refreshTokenReused = "refresh_token_reused"
        /// Within the grace, but from another device than the one that rotated the token.
        case refreshRepeatedElsewhere = "refresh_repeated_elsewhere"
        case logout = "logout"
        case logoutEverywhere = "logout_all"
        case sessionRemoved = "session_removed"
        case sessionsRevoked = "sessions_revoked"
        case sessionLimit = "session_limit"
        case userDisabled = "user_disabled"
        case userEnabled = "user_enabled"
        case roleChanged = "role_changed"
        case userDeleted = "user_deleted"
        case accountLinked = "account_linked"
        case accountUnlinked = "account_unlinked"
        case appleNotification = "apple_notification"
        /// Of nobody in particular: the database is an older one since. The detail is the last moment that one knew of.
        case databaseRestored = "database_restored"
    }

    package enum Actor: String, Sendable, CaseIterable {
        case user
        case `operator`
        case apple
    }

    package let moment: Timestamp
    package let kind: Kind
    package var actor: Actor
    /// Who the operator was, as `root (0), sudo by anna`; nil where another actor was.
    package var operatorName: String?
    package var userID: UserID?
    package var sessionID: SessionID?
    package var provider: Provider?
    package var device: Device
    /// A word that tells more: why a login was refused, which role it is now.
    package var detail: String?
    /// How many alike this entry stands for.
    package var count: Int64

    package init(
        _ kind: Kind, at moment: Timestamp, by actor: Actor = .user, userID: UserID? = nil,
        sessionID: SessionID? = nil, provider: Provider? = nil, device: Device = .unknown, detail: String? = nil,
        count: Int64 = 1
    ) {
        self.kind = kind
        self.moment = moment
        self.actor = actor
        self.userID = userID
        self.sessionID = sessionID
        self.provider = provider
        self.device = device
        self.detail = detail
        self.count = count
    }
}
