extension AuthService {
    /// Anonymises the caller's account and ends it. The same person logging in later is a new user.
    ///
    /// - Parameters:
    ///   - authorizationCode: a fresh one from Apple, used when there is no Apple token to revoke.
    ///   - login: proves the login again when it is too old.
    package func deleteAccount(
        of caller: Caller, authorizationCode: String? = nil, provenBy login: IdentityLogin? = nil, requestID: String
    ) throws(Refusal) -> AppleRevocation {
        let now = platform.now()
        try requireRecentLogin(of: asStored(caller), or: login, now: now, requestID: requestID)
        // The event has no device, because a device is personal data.
        let event = AuditEntry(.userDeleted, at: now, userID: caller.userID, sessionID: caller.sessionID)
        let clientID = try store.session(caller.sessionID)?.session.clientID ?? policy.defaultClientID
        // The code is exchanged after the user is deleted. The store then queues the revocation of the
        // token that Apple returns.
        let task = exchangeTask(for: authorizationCode, of: caller.userID, clientID: clientID, now: now)
        let deletion = try store.delete(caller.userID, queueing: task, recording: event)
        guard let deletion else { throw try refusal(ofEnded: caller) }
        announce(deletion.ended, requestID: requestID)
        return deletion.revocation
    }
}

/// The store's answer to deleting a user.
package struct Deletion: Sendable, Equatable {
    /// The sessions that were active.
    package let ended: [EndedSession]
    package let revocation: AppleRevocation

    package init(ended: [EndedSession], revocation: AppleRevocation) {
        (self.ended, self.revocation) = (ended, revocation)
    }
}

/// What happens at Apple when a user is deleted.
package enum AppleRevocation: Sendable, Equatable {
    /// The user has no Apple account linked.
    case notNeeded
    case queued
    /// Gatehouse holds no token to revoke. Only the user can withdraw the app's access.
    case byHand
}

/// All data about a user. The parts are read one after the other.
package struct UserExport: Sendable {
    package let user: User
    package let accounts: [LinkedAccount]
    package let passkeys: [Passkey]
    package let sessions: [Session]
    package let events: [AuditEntry]
    package let moment: Timestamp
}

extension AuthService {
    package func export(of caller: Caller) throws(Refusal) -> UserExport {
        let user = try currentUser(caller)
        let now = platform.now()
        return UserExport(
            user: user, accounts: try store.accounts(of: user.id), passkeys: try store.passkeys(of: user.id),
            sessions: try store.sessions(of: user.id, aliveAt: now), events: try store.auditEvents(of: user.id),
            moment: now)
    }
}
