/// An entry of the audit trail. It never contains a token.
package struct AuditEntry: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case login = "login"
        case loginRefused = "login_refused"
        /// The login of a number that was unused for a long time, into an account without another way to sign in.
        case staleNumberUsed = "stale_number_used"
        /// A limit refused a request for a code. The detail is what the limit counts by.
        case codeRefused = "code_refused"
        case refreshRefused = "refresh_refused"
        case refreshTokenReused = "refresh_token_reused"
        /// The code of a sign-in through a browser was used again.
        case authorizationCodeReused = "authorization_code_reused"
        /// A token of a bound session was used with a proof by another key.
        case sessionKeyMismatch = "session_key_mismatch"
        /// A repeat from another device than the one that rotated the token.
        case refreshRepeatedElsewhere = "refresh_repeated_elsewhere"
        /// The third repeat of a refresh in a row.
        case refreshRepeatedOften = "refresh_repeated_often"
        case logout = "logout"
        case logoutEverywhere = "logout_all"
        case sessionRemoved = "session_removed"
        case sessionsRevoked = "sessions_revoked"
        case sessionLimit = "session_limit"
        case userDisabled = "user_disabled"
        case userEnabled = "user_enabled"
        case roleChanged = "role_changed"
        /// The detail is the names of those that have changed.
        case attributesChanged = "attributes_changed"
        case userDeleted = "user_deleted"
        /// An operator imported users from a file. The count is how many.
        case usersImported = "users_imported"
        case accountLinked = "account_linked"
        case accountUnlinked = "account_unlinked"
        /// The detail is the id of the passkey, here and in the next one.
        case passkeyAdded = "passkey_added"
        case passkeyRemoved = "passkey_removed"
        case appleNotification = "apple_notification"
        /// The account at Apple has the subject of the team to which the app was transferred.
        case appleAccountMoved = "apple_account_moved"
        /// Transfer subjects for a team were asked of Apple. The detail is the team, the count the number of accounts.
        case appleTransferExported = "apple_transfer_exported"
        /// A provider other than Apple reported something about the user's account there.
        case securityEvent = "security_event"
        /// An operator restored a backup. The detail is the time of the last commit in it.
        case databaseRestored = "database_restored"
        /// An administrator has looked at a user, at users or at the audit trail. The detail of a search is what it was by.
        case userViewed = "user_viewed"
        case usersSearched = "users_searched"
        case auditViewed = "audit_viewed"
        /// The accounts of a user have moved to another one, or back. The detail is `into` or `from`, and the other one.
        case usersMerged = "users_merged"
        case usersUnmerged = "users_unmerged"
        /// An event is sent again. The detail is its id.
        case eventsRetried = "events_retried"
        /// The API for support has refused an administrator. The detail is why.
        case administratorRefused = "administrator_refused"
    }

    package enum Actor: String, Sendable, CaseIterable {
        case user
        case `operator`
        /// A user with that role, by the API for support. The entry has the id in place of the operator's name.
        case administrator
        /// A service of the operator, whose name the entry has in place of the operator's.
        case service
        case apple
        /// Another provider, which the entry names.
        case provider
    }

    package var moment: Timestamp
    package var kind: Kind
    package var actor: Actor
    /// The operator, as `root (0), sudo by anna`; nil for other actors.
    package var operatorName: String?
    package var userID: UserID?
    package var sessionID: SessionID?
    package var provider: Provider?
    package var device: Device
    /// One word of detail: why a login was refused, which role was given.
    package var detail: String?
    /// The number of equal events that this entry represents.
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

/// Selects entries of the audit trail.
package struct AuditQuery: Sendable, Equatable {
    package var userID: UserID?
    package var kind: AuditEntry.Kind?
    package var since: Timestamp?
    /// The maximum number of entries. The newest are returned.
    package var limit: Int

    package init(userID: UserID? = nil, kind: AuditEntry.Kind? = nil, since: Timestamp? = nil, limit: Int) {
        (self.userID, self.kind, self.since, self.limit) = (userID, kind, since, limit)
    }
}
