/// A change of a user that other services are told about. The store writes it in the transaction of the change.
///
/// It names the user and what has changed, and has no value of the user: those are read when the event is sent. So an event that
/// arrives late never replaces newer data, and what waits to be sent holds no personal data.
package struct UserEvent: Sendable, Equatable {
    package enum Content: Sendable, Equatable {
        case created(by: Provider)
        /// The members of the user, by their names in JSON.
        case updated([String])
        /// The user to whom the accounts have moved, if the user has joined another one.
        case deleted(joining: UserID?)
        case disabled
        case enabled
        case linked(Provider)
        case unlinked(Provider)
        case sessionRevoked(SessionID, RevokeReason)
        /// The session that was opened on a device of a kind that none of the user's had.
        case deviceAdded(SessionID, by: Provider)
    }

    package var content: Content
    package var userID: UserID
    package var moment: Timestamp

    package init(_ content: Content, of user: UserID, at moment: Timestamp) {
        self.content = content
        userID = user
        self.moment = moment
    }

    package var type: EventType {
        switch content {
        case .created: .userCreated
        case .updated: .userUpdated
        case .deleted: .userDeleted
        case .disabled: .userDisabled
        case .enabled: .userEnabled
        case .linked: .accountLinked
        case .unlinked: .accountUnlinked
        case .sessionRevoked: .sessionRevoked
        case .deviceAdded: .deviceAdded
        }
    }

    /// Nil if nothing has changed.
    package static func update(of user: User, from former: User, at moment: Timestamp) -> UserEvent? {
        let names = user.changedMembers(since: former)
        return names.isEmpty ? nil : UserEvent(.updated(names), of: user.id, at: moment)
    }

    /// Nil unless the reason is theft: other services need not know that a user signs out.
    package static func end(
        of session: SessionID, for reason: RevokeReason?, of user: UserID, at moment: Timestamp
    ) -> UserEvent? {
        guard let reason, reason.isTheft else { return nil }
        return UserEvent(.sessionRevoked(session, reason), of: user, at: moment)
    }
}

extension User {
    /// The names of members that other services see, without those of the status, which has events of its own.
    fileprivate func changedMembers(since former: User) -> [String] {
        [
            email == former.email ? nil : "email",
            emailVerified == former.emailVerified ? nil : "emailVerified",
            phone == former.phone ? nil : "phone",
            nickname == former.nickname ? nil : "nickname",
            avatarURL == former.avatarURL ? nil : "avatarUrl",
            role == former.role ? nil : "role",
            onboardingCompleted == former.onboardingCompleted ? nil : "onboardingCompleted",
            isGuest == former.isGuest ? nil : "guest",
        ].compactMap { $0 }
    }
}

extension RevokeReason {
    fileprivate var isTheft: Bool {
        switch self {
        case .reuse, .codeReuse, .key: true
        case .logout, .logoutEverywhere, .removed, .revoked, .userDisabled, .userDeleted, .consentRevoked,
            .accountUnlinked, .providerEvent, .sessionLimit:
            false
        }
    }
}

/// What can happen to a user that other services are told of.
package enum EventType: String, Sendable, CaseIterable {
    case userCreated = "user.created"
    case userUpdated = "user.updated"
    case userDeleted = "user.deleted"
    case userDisabled = "user.disabled"
    case userEnabled = "user.enabled"
    case accountLinked = "account.linked"
    case accountUnlinked = "account.unlinked"
    case sessionRevoked = "session.revoked"
    case deviceAdded = "device.added"

    /// The part before the dot, which a receiver can ask for as a whole: `user`.
    package var group: String { String(rawValue.prefix { $0 != "." }) }
}
