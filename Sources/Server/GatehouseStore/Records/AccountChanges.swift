package import Gatehouse
import SQL

extension RelationalStore {
    package func accounts(of user: UserID) throws(Refusal) -> [LinkedAccount] {
        try reading { try $0.accounts(of: user) }
    }

    package func link(
        _ identity: Identity, to user: UserID, redeeming redemption: Redemption, identityHashes: [[UInt8]],
        queueing task: AppleTask?, recording event: AuditEvent
    ) throws(Refusal) -> LinkOutcome {
        try writing { connection in
            try connection.lock(redemption)
            try connection.lock(identity)
            try connection.lock(user)
            guard try connection.user(user)?.status == .active else { return .userInactive }
            let redeemed = try connection.state(of: redemption)
            if redeemed == .replayed { return .replayed }
            if redeemed == .usedNonce { return .usedNonce }
            try connection.applyTransfer(of: identity, now: event.moment)
            let owner = try connection.owner(of: identity)
            guard owner == nil || owner == user else { return .taken }
            if owner == nil, try connection.hasAccount(user, of: identity.provider) { return .taken }
            if owner == nil, try connection.owner(ofBarred: identityHashes) != nil { return .taken }
            try connection.markRedeemed(redemption)
            guard owner == nil else {
                try connection.linkReplayGrace(of: redemption, to: identity)
                return .linked
            }
            try connection.insert(identity, of: user, now: event.moment)
            try connection.linkReplayGrace(of: redemption, to: identity)
            try connection.updateVerification(of: user, from: identity)
            if let task { try connection.insert(task) }
            try connection.insert(event)
            return .linked
        }
    }

    package func unlink(
        _ provider: Provider, of user: UserID, recording event: AuditEvent
    ) throws(Refusal) -> UnlinkOutcome {
        try writing { connection in
            try connection.lock(user)
            guard try connection.hasAccount(user, of: provider) else { return .unlinked }
            guard try connection.accounts(of: user).count > 1 else { return .last }
            if provider == .apple { _ = try connection.queueRevocation(of: user, now: event.moment) }
            try connection.deleteAccounts(of: user, provider: provider)
            try connection.replaceAddressOfUnlinkedAccount(of: user, now: event.moment)
            try connection.insert(event)
            return .unlinked
        }
    }

    package func redeem(
        _ redemption: Redemption, proving identity: Identity, of user: UserID
    ) throws(Refusal) -> ProofOutcome {
        try writing { connection in
            try connection.lock(redemption)
            try connection.lock(user)
            guard try connection.owner(of: identity) == user else { return .otherUser }
            switch try connection.state(of: redemption) {
            case .replayed: return .replayed
            case .usedNonce: return .usedNonce
            case .fresh, .repeated: break
            }
            try connection.markRedeemed(redemption)
            try connection.linkReplayGrace(of: redemption, to: identity)
            return .accepted
        }
    }

    package func delete(
        _ id: UserID, queueing task: AppleTask?, recording event: AuditEvent
    ) throws(Refusal) -> Deletion? {
        try writing { try $0.delete(id, queueing: task, recording: event) }
    }
}

extension RecordConnection {
    func delete(_ id: UserID, queueing task: AppleTask?, recording event: AuditEvent) throws -> Deletion? {
        try lock(id)
        // Before what belongs to them, and before the audit trail: the end of a session adds to it.
        try lockSessions(of: id)
        guard try anonymise(id, now: event.moment) else { return nil }
        let revocation = try queueRevocation(of: id, queueing: task, now: event.moment)
        try deleteAccounts(of: id)
        try insert(event)
        return Deletion(sessions: try deleteSessions(of: id, now: event.moment), revocation: revocation)
    }

    private func queueRevocation(
        of user: UserID, queueing task: AppleTask?, now: Timestamp
    ) throws -> AppleRevocation {
        guard try hasAccount(user, of: .apple) else { return .notNeeded }
        if try queueRevocation(of: user, now: now) { return .queued }
        if let task {
            try insert(task)
            return .queued
        }
        // A queued code is exchanged after the user is deleted, and then the token that Apple returns is revoked.
        return try awaitsExchange(user, now: now) ? .queued : .byHand
    }
}
