package import Gatehouse

/// Operations with values that the test supplies.
extension Store {
    package func record(_ fixture: LoginFixture, limit: Int = 100) throws(Refusal) -> LoginOutcome {
        let (decision, ended) = try record(fixture.login, limit: limit) { facts in fixture.decide(on: facts) }
        return switch decision {
        case .accept(let login): .recorded(login.user, ended: ended.map(\.id))
        case .refuse(let refusal): .refused(refusal)
        }
    }

    /// Advances a session to this token. False if it is not the next token of the session.
    package func advance(
        _ id: SessionID, to token: SessionToken, from device: Device = .unknown, now: Timestamp
    ) throws(Refusal) -> Bool {
        try refresh(id, now: now) { session, _ in
            guard session.revokedAt == nil, token.generation == session.token.generation + 1 else {
                return .refuse(.invalidRefreshToken)
            }
            let next = session.advanced(to: token, in: TokenChain(seed: [4, 5, 6]), from: device)
            return .advance(next, token: "")
        }?.decision.written != nil
    }

    package func link(
        _ identity: Identity, to user: UserID, redeeming redemption: Redemption, queueing task: AppleTask?,
        recording event: AuditEntry
    ) throws(Refusal) -> LinkOutcome {
        let link = NewLink(
            identity: identity, user: user, redemption: redemption, task: task, event: event, hasher: PlainHashes())
        return switch try record(link) {
        case .link, .replace, .alreadyLinked: .linked
        case .taken: .taken
        case .replayed: .replayed
        case .usedNonce: .usedNonce
        case .callerEnded, .noGuest: .callerEnded
        }
    }

    package func apply(
        _ notification: AppleNotification, by policy: ConsentPolicy, recording event: AuditEntry
    ) throws(Refusal) -> [SessionID] {
        try apply(notification, by: policy, hasher: PlainHashes(), recording: event).map(\.id)
    }
}

/// A decision without what it writes, to compare.
package enum LoginOutcome: Equatable {
    case recorded(User, ended: [SessionID])
    case refused(LoginRefusal)
}

package enum LinkOutcome: Equatable {
    case linked
    case taken
    case replayed
    case usedNonce
    case callerEnded
}
