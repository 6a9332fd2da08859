extension AuthService {
    /// The task that exchanges an authorization code; nil without a code, or without credentials for Apple's servers.
    func exchangeTask(for code: String?, of user: UserID, clientID: String, now: Timestamp) -> AppleTask? {
        guard let code, let appleServer else { return nil }
        return AppleTask(
            kind: .exchange, userID: user, clientID: clientID, sealed: appleServer.vault.seal(code, for: user),
            dueAt: now, expiresAt: now + AppleTask.codeLifetime)
    }

    /// Performs the next Apple task that is due. False when there is none.
    package func runNextAppleTask() throws(Refusal) -> Bool {
        guard let appleServer, let task = try store.takeAppleTask(now: platform.now()) else { return false }
        switch appleServer.perform(task, now: platform.now()) {
        case .success(let grant?):
            let vault = appleServer.vault
            try store.finish(
                task, sealing: { vault.seal(grant.refreshToken, for: $0) }, of: grant.subject, now: platform.now())
            report(.appleTaskDone(task.kind), nil)
        case .success(nil):
            try store.finish(task)
            report(.appleTaskDone(task.kind), nil)
        case .failure(let fault):
            report(.appleTaskFailed(task.kind, fault, of: task.userID), nil)
            guard fault != .grantRefused else {
                try store.finish(task)
                break
            }
            // After any other fault, the next attempt may succeed.
            try store.postpone(task, now: platform.now())
        }
        return true
    }
}

/// Access to Apple's servers, for an installation that has credentials.
package struct AppleServerAccess: Sendable {
    package let server: any AppleServer
    package let vault: any Vault

    package init(server: any AppleServer, vault: any Vault) {
        (self.server, self.vault) = (server, vault)
    }

    /// An exchange returns a grant, a revocation nil.
    func perform(_ task: AppleTask, now: Timestamp) -> Result<AppleGrant?, AppleServerFault> {
        guard let secret = vault.open(task.sealed, for: task.userID) else {
            return .failure(.secretUnreadable)
        }
        do throws(AppleServerFault) {
            switch task.kind {
            case .exchange:
                return .success(try server.exchange(code: secret, for: task.clientID, now: now))
            case .revoke:
                try server.revoke(refreshToken: secret, of: task.clientID, now: now)
                return .success(nil)
            }
        } catch {
            return .failure(error)
        }
    }
}

/// Apple's endpoints for developers. They may be slow or down, so they are never called while a request waits.
package protocol AppleServer: Sendable {
    func exchange(code: String, for clientID: String, now: Timestamp) throws(AppleServerFault) -> AppleGrant

    /// Revokes a refresh token of Apple's. A token that is not valid any more is not an error.
    func revoke(refreshToken: String, of clientID: String, now: Timestamp) throws(AppleServerFault)
}

/// Apple's answer to an authorization code.
package struct AppleGrant: Sendable, Equatable {
    /// The user to whom the code was issued.
    package let subject: String
    package let refreshToken: String

    package init(subject: String, refreshToken: String) {
        (self.subject, self.refreshToken) = (subject, refreshToken)
    }
}

/// Why a request to Apple's servers failed.
package enum AppleServerFault: Error, Sendable, Equatable {
    /// The code or token is not valid: another attempt cannot succeed.
    case grantRefused
    /// Gatehouse's own credentials are refused. An attempt may succeed after an operator has corrected them.
    case credentialsRefused(String)
    /// No answer, or one that cannot be read: a later attempt may succeed.
    case unavailable(String)

    /// The vault cannot open the code or token: its key is missing.
    package static let secretUnreadable = Self.credentialsRefused("secret_unreadable")

    package var label: String {
        switch self {
        case .grantRefused: "grant_refused"
        case .credentialsRefused: "credentials_refused"
        case .unavailable: "unavailable"
        }
    }
}

/// Encrypts secrets that are kept in the database.
package protocol Vault: Sendable {
    /// Only the same owner can open the result.
    func seal(_ secret: String, for owner: UserID) -> [UInt8]

    /// Nil when it was sealed for another owner or with another key, or has been changed.
    func open(_ sealed: [UInt8], for owner: UserID) -> String?
}

/// A request to Apple's servers. It is kept in the database (the outbox), so that it survives a restart.
package struct AppleTask: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        /// Exchanges an authorization code for Apple's refresh token.
        case exchange
        /// Revokes Apple's refresh token.
        case revoke
    }

    /// Assigned by the store.
    package var id: Int64
    package var kind: Kind
    package var userID: UserID
    package var clientID: String
    /// The code or the token, encrypted by the vault.
    package var sealed: [UInt8]
    package var attempts: Int64
    package var dueAt: Timestamp
    /// When maintenance may delete the task, because Apple no longer accepts its code; nil for a task that does not expire.
    package var expiresAt: Timestamp?

    package init(
        id: Int64 = 0, kind: Kind, userID: UserID, clientID: String, sealed: [UInt8], attempts: Int64 = 0,
        dueAt: Timestamp, expiresAt: Timestamp? = nil
    ) {
        self.id = id
        self.kind = kind
        self.userID = userID
        self.clientID = clientID
        self.sealed = sealed
        self.attempts = attempts
        self.dueAt = dueAt
        self.expiresAt = expiresAt
    }

    /// How long Apple accepts an authorization code.
    package static let codeLifetime = Duration.seconds(300)

    /// How long a task belongs to the node that has taken it: longer than a request to Apple can take.
    package static let lease = Duration.seconds(10)

    /// The delay before the next attempt. It doubles up to 30 s for an exchange, because a code lives five minutes, and
    /// up to an hour for a revocation, which Apple accepts at any time.
    package var backoff: Duration { Self.backoff(kind, after: attempts) }

    /// No task that was written by a correct clock is due later than this.
    package static let longestBackoff = Duration.seconds(3600)

    private static func backoff(_ kind: Kind, after attempts: Int64) -> Duration {
        let longest: Int64 = kind == .exchange ? 30 : 3600
        return .seconds(min(longest, 1 << min(attempts, 20)))
    }

    /// The time at which a task was queued, computed from its attempts. It is too late if no server was running for
    /// some time since, and by the lease while a node performs the task.
    package static func queuedAt(_ kind: Kind, attempts: Int64, dueAt: Timestamp) -> Timestamp {
        // The delays after the twentieth attempt are all equal.
        let single = min(max(0, attempts), 20)
        let delays = (0..<single).map { backoff(kind, after: $0) }.reduce(.zero, +)
        return dueAt - delays - backoff(kind, after: 20) * Int(max(0, attempts) - single)
    }
}
