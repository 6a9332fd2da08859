import Synchronization

/// What has ended although access tokens for it are still out there.
///
/// Small by nature: an entry is remembered only as long as such a token can live. It stands in memory, so that no
/// request needs the database to know that a session has ended; what other processes end is read from the store's log
/// when the store gives a sign, and now and then without one.
package final class Revocations: Sendable {
    private struct Memory {
        var sessions: [SessionID: Timestamp] = [:]
        var users: [UserID: (standing: Standing, moment: Timestamp)] = [:]
        var pruneAt = 256
    }

    private struct Reading {
        var place: Int64 = 0
    }

    private let store: any Store
    /// How long an access token can outlive the end of what it stands for.
    private let lifetime: Duration
    private let now: @Sendable () -> Timestamp
    private let memory = Mutex(Memory())
    private let reading = Mutex(Reading())
    private let heard: Atomic<UInt64>

    /// Reads the whole log: serving without it would wake the dead.
    package init(
        store: any Store, lifetime: Duration, now: @escaping @Sendable () -> Timestamp
    ) throws(StoreFailure) {
        self.store = store
        self.lifetime = lifetime
        self.now = now
        heard = Atomic(store.revocationSign)
        try catchUp()
    }

    /// Remembers a session that has just been ended here.
    package func insert(_ id: SessionID, at moment: Timestamp) {
        memory.withLock { memory in
            memory.sessions[id] = moment
            prune(&memory)
        }
    }

    /// Reads what other processes have ended, where the store has given a sign since the last time.
    package func catchUpIfSigned() throws(StoreFailure) {
        guard store.revocationSign != heard.load(ordering: .acquiring) else { return }
        try catchUp()
    }

    /// Reads what has been added to the log. One thread at a time: an older reading must not undo a newer one.
    package func catchUp() throws(StoreFailure) {
        try reading.withLock { reading throws(StoreFailure) in
            // Taken before the reading: what comes during it gives another sign.
            let sign = store.revocationSign
            let news = try store.revocations(after: reading.place)
            if let last = news.last {
                memory.withLock { remember(news, in: &$0) }
                reading.place = last.place
            }
            heard.store(sign, ordering: .releasing)
        }
    }

    /// Refuses the caller whose session has ended, or whose token tells of a standing that they have no longer.
    package func admit(_ caller: Caller) throws(Refusal) {
        let known = memory.withLock { memory in
            (memory.users[caller.userID]?.standing, memory.sessions[caller.sessionID] != nil)
        }
        switch known {
        case (nil, false): return
        case (let standing?, let hasEnded):
            if standing.status == .disabled { throw .userDisabled }
            if hasEnded || standing.status == .deleted || standing.role != caller.role { throw .sessionRevoked }
        case (nil, true): throw .sessionRevoked
        }
    }

    /// The role that a token for this user should name: it may have changed since they were read, and a token with
    /// the one before would be refused.
    package func role(of user: User) throws(StoreFailure) -> Role {
        try catchUpIfSigned()
        return memory.withLock { $0.users[user.id]?.standing.role } ?? user.role
    }

    private func remember(_ news: [Revocation], in memory: inout Memory) {
        for revocation in news {
            switch revocation.subject {
            case .session(let id): memory.sessions[id] = revocation.moment
            case .user(let id, let standing): memory.users[id] = (standing, revocation.moment)
            }
        }
        prune(&memory)
    }

    /// Doubling what is left before the next look keeps the cost of pruning constant per entry.
    private func prune(_ memory: inout Memory) {
        guard memory.sessions.count + memory.users.count >= memory.pruneAt else { return }
        let oldest = now() - lifetime
        memory.sessions = memory.sessions.filter { $0.value >= oldest }
        memory.users = memory.users.filter { $0.value.moment >= oldest }
        memory.pruneAt = max(256, (memory.sessions.count + memory.users.count) * 2)
    }
}
