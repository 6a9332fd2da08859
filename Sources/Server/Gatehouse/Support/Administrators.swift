/// The API for support, as the settings have it. Without it, the API does not exist for anybody.
package struct SupportPolicy: Sendable, Equatable {
    /// The age of an administrator's login.
    package static let longestLogin = Duration.seconds(3600)

    /// How strong the login has to be. Nil for the most that the administrator can do: two factors if they have a passkey.
    package let strength: LoginStrength?

    package init(strength: LoginStrength? = nil) { self.strength = strength }
}

/// A user with the role ADMIN or SUPER_ADMIN, as the database has them at the time of the request.
package struct Administrator: Sendable {
    package let user: User
    package let session: Session
    package let requestID: String
    /// How strong the login has to be.
    package let demanded: LoginStrength

    package var loginExpiresAt: Timestamp { session.createdAt + SupportPolicy.longestLogin }
}

extension AuthService {
    /// The administrator who sends a request.
    ///
    /// Others must not find out whether the API is on, nor who exists: until a token says that it was issued to an
    /// administrator, each request gets the answer of an unknown path, without a query of the database. What the token says
    /// only opens that door: role, status and login are read from the database, so a role that was taken away counts at once,
    /// on each node, and a token made with a stolen secret gives no role to its user.
    package func authenticateAdministrator(
        _ accessToken: SentAccessToken?, proof: @autoclosure () -> SentProof?, from device: Device,
        in context: inout RequestContext
    ) throws(Refusal) -> Administrator {
        guard let rules = policy.support, let accessToken else { throw .hidden }
        let now = platform.now()
        do throws(Refusal) {
            guard try tokens.readAccessToken(accessToken.bytes, now: now).role >= .admin else { throw .hidden }
        } catch {
            let wasAdministrators = tokens.role(inExpired: accessToken.bytes).map { $0 >= .admin } ?? false
            throw error == .accessTokenExpired && wasAdministrators ? error : .hidden
        }
        // A bound session proves its key for reads, too: they show other people's data.
        let caller = try authenticateChange(accessToken, proof: proof(), from: device, in: &context)
        let administrator = try administrator(caller, by: rules, now: now, requestID: context.id)
        guard administrator.loginExpiresAt > now else {
            throw try refused(.guardedLoginTooOld(limit: SupportPolicy.longestLogin), to: administrator)
        }
        guard administrator.session.method?.strength ?? .single >= administrator.demanded else {
            throw try refused(.insufficientAuthentication(administrator.demanded), to: administrator)
        }
        return administrator
    }

    private func administrator(
        _ caller: Caller, by rules: SupportPolicy, now: Timestamp, requestID: String
    ) throws(Refusal) -> Administrator {
        guard let (session, user) = try store.session(caller.sessionID), user.id == caller.userID,
            session.revokedAt == nil, session.token.expiresAt > now, session.keyThumbprint == caller.keyThumbprint
        else { throw .sessionRevoked }
        guard user.status == .active else { throw .userDisabled }
        guard user.role >= .admin else { throw .hidden }
        return Administrator(
            user: user, session: session, requestID: requestID, demanded: try demandedStrength(of: user.id, by: rules))
    }

    /// Who has a passkey signs in by it: the other ways would be a way around it.
    private func demandedStrength(of user: UserID, by rules: SupportPolicy) throws(Refusal) -> LoginStrength {
        if let strength = rules.strength { return strength }
        return try store.accounts(of: user).contains { $0.provider == .passkey } ? .twoFactors : .single
    }

    /// What an administrator's own changes of the account demand: a weaker login could remove the passkey, or add another one,
    /// and then act.
    func strengthOfAdministrator(_ caller: Caller) throws(Refusal) -> LoginStrength {
        guard let rules = policy.support, caller.role >= .admin else { return .single }
        return try demandedStrength(of: caller.userID, by: rules)
    }

    /// Records that an administrator was refused. A stolen token is noticed by this. A refused act is recorded at once, with its
    /// user and request; refusals of the login are counted together, because a client decides how many there are.
    func refused(
        _ refusal: Refusal, to administrator: Administrator, on target: UserID? = nil, reason: String? = nil
    ) throws(Refusal) -> Refusal {
        report(.administratorRefused(refusal), administrator.requestID)
        let entry = SupportActor(administrator, reason: reason).entry(
            .administratorRefused, at: platform.now(), of: target ?? administrator.user.id,
            session: target == nil ? administrator.session.id : nil, detail: refusal.label)
        if target == nil { refusals.add(entry.entry) } else { try store.record(entry) }
        return refusal
    }
}

// MARK: - Acts

/// What administrators do to users.
package enum SupportAct: Sendable, Equatable {
    case disable
    case enable
    /// All sessions, or one.
    case signOut(SessionID?)
    case role(Role)
    case delete

    package var kind: SupportActKind {
        switch self {
        case .disable: .disable
        case .enable: .enable
        case .signOut: .signOut
        case .role: .role
        case .delete: .delete
        }
    }
}

/// The names of acts and of looks, for metrics and for the buttons of a page.
package enum SupportActKind: String, Sendable, CaseIterable {
    case disable
    case enable
    case signOut = "sign-out"
    case role
    case delete
    case merge
    case unmerge
    case retry
    case look
}

extension SupportActKind {
    /// Why an administrator may not do this to a user; nil if they may.
    ///
    /// Acts on administrators, and every change of a role, need a SUPER_ADMIN: an ADMIN could otherwise sign out, disable or
    /// delete those who control them. Nobody acts on themself, except that everybody may end their own sessions. So a
    /// SUPER_ADMIN is left after each act: the one who acts.
    package func refusal(to actor: User, on target: User) -> Refusal? {
        if actor.id == target.id { return self == .signOut ? nil : .ownAccount }
        if self == .role, target.isGuest { return actor.role < .superAdmin ? .insufficientRole : .userIsGuest }
        let needsSuperAdmin = self == .role || target.role >= .admin
        return needsSuperAdmin && actor.role < .superAdmin ? .insufficientRole : nil
    }

    /// Whether the act would change anything about a user, as far as the row of the user says.
    package func applies(to target: User, isMerged: Bool) -> Bool {
        switch self {
        case .disable, .merge: target.status == .active
        case .enable: target.status == .disabled
        case .signOut, .role, .delete: target.status != .deleted
        case .unmerge: isMerged
        case .retry, .look: true
        }
    }
}

/// Who acts, and why: an administrator by the API, or an operator by a command. It becomes an entry of the audit trail.
package struct SupportActor: Sendable {
    /// The id of an administrator, or the operator as `root (0), sudo by anna`.
    package let name: String?
    package let administrator: UserID?
    package let session: SessionID?
    package let reason: String?
    package let requestID: String?

    package init(operatorName: String?, reason: String?) {
        (name, self.reason) = (operatorName, reason)
        (administrator, session, requestID) = (nil, nil, nil)
    }

    init(_ administrator: Administrator, reason: String?) {
        name = administrator.user.id.text
        (self.administrator, session) = (administrator.user.id, administrator.session.id)
        (self.reason, requestID) = (reason, administrator.requestID)
    }

    /// The device of the administrator is left out: the entry belongs to the user, who may export it.
    package func entry(
        _ kind: AuditEntry.Kind, at moment: Timestamp, of user: UserID? = nil, session: SessionID? = nil,
        detail: String? = nil, count: Int = 1
    ) -> SupportEntry {
        var entry = AuditEntry(
            kind, at: moment, by: administrator == nil ? .operator : .administrator, userID: user, sessionID: session,
            detail: detail, count: Int64(count))
        entry.operatorName = name
        return SupportEntry(entry: entry, reason: reason, requestID: requestID)
    }
}

/// An entry of the audit trail with what only support has.
package struct SupportEntry: Sendable, Equatable {
    package let entry: AuditEntry
    package let reason: String?
    package let requestID: String?
}

/// What the store says about an act. Refusals were decided in its transaction.
package enum SupportOutcome: Sendable {
    case done(hasChanged: Bool, ended: [EndedSession])
    case unknownUser
    case refused(Refusal)
}

extension AuthService {
    /// Does something to a user. Returns whether that changed anything, and how many sessions ended.
    package func perform(
        _ act: SupportAct, on target: UserID, by administrator: Administrator, reason: String
    ) throws(Refusal) -> (hasChanged: Bool, endedSessions: Int) {
        let actor = SupportActor(administrator, reason: reason)
        let record = actor.entry(
            act.auditKind, at: platform.now(), of: target, session: act.session, detail: act.auditDetail)
        let outcome = try store.perform(act, on: target, by: actor, recording: record) { actor, target in
            act.kind.refusal(to: actor, on: target)
        }
        let (hasChanged, ended) = try accept(outcome, of: act.kind, on: target, by: administrator, reason: reason)
        return (hasChanged, ended.count)
    }

    func accept(
        _ outcome: SupportOutcome, of act: SupportActKind, on target: UserID, by administrator: Administrator,
        reason: String
    ) throws(Refusal) -> (hasChanged: Bool, ended: [EndedSession]) {
        switch outcome {
        case .unknownUser: throw .unknownUser
        case .refused(let refusal):
            switch refusal {
            // What the state of the users forbids says nothing about the administrator.
            case .mergeConflict, .notMerged, .nothingLeftToMerge, .userIsGuest: throw refusal
            default: throw try refused(refusal, to: administrator, on: target, reason: reason)
            }
        case .done(let hasChanged, let ended):
            // The log has the user, too: with another role or status, their access tokens are refused from now on.
            announce(ended, requestID: administrator.requestID)
            if hasChanged { try? revocations.catchUp() }
            report(.administered(act), administrator.requestID)
            return (hasChanged, ended)
        }
    }
}

extension SupportAct {
    fileprivate var session: SessionID? { if case .signOut(let session) = self { session } else { nil } }

    fileprivate var auditDetail: String? { if case .role(let role) = self { role.rawValue } else { nil } }

    fileprivate var auditKind: AuditEntry.Kind {
        switch self {
        case .disable: .userDisabled
        case .enable: .userEnabled
        case .signOut: .sessionsRevoked
        case .role: .roleChanged
        case .delete: .userDeleted
        }
    }
}
