package import Gatehouse
import SQLite

extension SQLiteStore {
    package func accounts(of user: UserID) throws(StoreFailure) -> [LinkedAccount] {
        try reading { connection throws(SQLiteError) in try connection.accounts(of: user) }
    }

    package func link(
        _ identity: Identity, to user: UserID, redeeming redemption: Redemption, identityHashes: [[UInt8]],
        asking task: AppleTask?, noting event: AuditEvent
    ) throws(StoreFailure) -> LinkOutcome {
        try writing { connection throws(SQLiteError) in
            guard try connection.user(user)?.status == .active else { return .outdated }
            let redeemed = try connection.judge(redemption)
            if redeemed == .replayed { return .replayed }
            if redeemed == .usedNonce { return .usedNonce }
            try connection.follow(identity, now: event.moment)
            let owner = try connection.owner(of: identity)
            guard owner == nil || owner == user else { return .taken }
            if owner == nil, try connection.hasAccount(user, of: identity.provider) { return .taken }
            if owner == nil, try connection.owner(ofBarred: identityHashes) != nil { return .taken }
            try connection.remember(redemption)
            guard owner == nil else {
                try connection.tie(redemption, to: identity)
                return .linked
            }
            try connection.insert(identity, of: user, now: event.moment)
            try connection.tie(redemption, to: identity)
            try connection.noteEmail(of: identity, for: user)
            if let task { try connection.insert(task) }
            try connection.insert(event)
            return .linked
        }
    }

    package func unlink(
        _ provider: Provider, of user: UserID, noting event: AuditEvent
    ) throws(StoreFailure) -> UnlinkOutcome {
        try writing { connection throws(SQLiteError) in
            guard try connection.hasAccount(user, of: provider) else { return .unlinked }
            guard try connection.accounts(of: user).count > 1 else { return .last }
            if provider == .apple { _ = try connection.queueRevocation(of: user, now: event.moment) }
            try connection.deleteAccounts(of: user, provider: provider)
            try connection.insert(event)
            return .unlinked
        }
    }

    package func redeem(
        _ redemption: Redemption, proving identity: Identity, of user: UserID
    ) throws(StoreFailure) -> ProofOutcome {
        try writing { connection throws(SQLiteError) in
            guard try connection.owner(of: identity) == user else { return .otherUser }
            switch try connection.judge(redemption) {
            case .replayed: return .replayed
            case .usedNonce: return .usedNonce
            case .fresh, .repeated: break
            }
            try connection.remember(redemption)
            try connection.tie(redemption, to: identity)
            return .accepted
        }
    }

    package func delete(
        _ id: UserID, asking task: AppleTask?, noting event: AuditEvent
    ) throws(StoreFailure) -> Deletion? {
        try writing { connection throws(SQLiteError) in
            try connection.delete(id, asking: task, noting: event)
        }
    }
}

extension Connection {
    func delete(_ id: UserID, asking task: AppleTask?, noting event: AuditEvent) throws(SQLiteError) -> Deletion? {
        guard try anonymise(id, now: event.moment) else { return nil }
        let revocation = try queueRevocation(of: id, asking: task, now: event.moment)
        try deleteAccounts(of: id)
        try insert(event)
        return Deletion(sessions: try deleteSessions(of: id, now: event.moment), revocation: revocation)
    }

    private func queueRevocation(
        of user: UserID, asking task: AppleTask?, now: Timestamp
    ) throws(SQLiteError) -> AppleRevocation {
        guard try hasAccount(user, of: .apple) else { return .notNeeded }
        if try queueRevocation(of: user, now: now) { return .queued }
        if let task {
            try insert(task)
            return .queued
        }
        // A code that waits to be exchanged finds nobody, and what comes of it is revoked.
        return try awaitsExchange(user, now: now) ? .queued : .byHand
    }
}
