import Synchronization

/// The sessions and users whose access tokens must be refused although they have not expired.
///
/// It is kept in memory, so that an accepted request rarely reads the database. It stays small, because an entry is dropped
/// when the last access token it concerns has expired: by the time that has passed since it was read, whatever the clock
/// says. Revocations by other processes are read from the store's log: at
/// once when the store's counter changes, and every second.
package final class Revocations: Sendable {
    private struct Memory {
        /// With the moment at which they were read.
        var sessions: [SessionID: ContinuousClock.Instant] = [:]
        var users: [UserID: ChangedUser] = [:]
        var pruneAt = 256
        var changes = 0
        /// Those that access tokens contain. Of others, the states above have none.
        var attributeNames: [String] = []
    }

    private struct ChangedUser {
        /// Nil until it is needed, where the log does not contain it.
        var state: UserState?
        let moment: ContinuousClock.Instant
        /// Differs from that of every other entry.
        let number: Int
    }

    private struct Cursor {
        var place: Int64 = 0
    }

    /// How long requests are answered although the log cannot be read.
    package static let longestBlindness = Duration.seconds(30)

    private let store: any Store
    /// How long an access token can outlive the revocation of its session.
    private let lifetime: Duration
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let memory = Mutex(Memory())
    private let cursor = Mutex(Cursor())
    private let seenCounter: Atomic<UInt64>
    private let freshness: Mutex<RevocationFreshness>

    /// Reads the whole log: without it, access tokens of ended sessions would be accepted.
    package init(
        store: any Store, lifetime: Duration,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws(Refusal) {
        (self.store, self.lifetime, self.clock) = (store, lifetime, clock)
        freshness = Mutex(RevocationFreshness(at: clock()))
        seenCounter = Atomic(store.revocationCounter)
        try catchUp()
    }

    /// Adds a session that this process has just ended.
    package func insert(_ id: SessionID) {
        let now = clock()
        memory.withLock { memory in
            memory.sessions[id] = now
            prune(&memory, now: now)
        }
    }

    /// Which attributes access tokens contain from now on.
    func useAttributes(_ names: [String]) {
        memory.withLock { memory in
            guard memory.attributeNames != names else { return }
            memory.attributeNames = names
            for id in memory.users.keys { memory.users[id]?.state = nil }
        }
    }

    /// How long ago the log was read; nil where no other machine adds to it.
    package var age: Duration? {
        store.isShared ? freshness.withLock { $0.readAt }.duration(to: clock()) : nil
    }

    /// Refuses requests while the log may contain much that is not known here: callers would be accepted whom another
    /// machine has logged out. After a suspension of this process, the log is read first.
    package func requireCurrent() throws(Refusal) {
        try catchUpIfChanged()
        guard store.isShared else { return }
        let now = clock()
        let (readAt, mustBeRead) = freshness.withLock { freshness in
            freshness.notice(now)
            return (freshness.readAt, freshness.mustBeRead)
        }
        if mustBeRead { catchUpAfterSuspension() }
        guard readAt.duration(to: now) > Self.longestBlindness, let age, age > Self.longestBlindness else { return }
        throw .storageUnavailable(
            StoreFailure(
                "what other nodes have ended could not be read for \(age.components.seconds) s", cause: .unreachable))
    }

    /// Reads the log if another process has announced an entry since the last time.
    package func catchUpIfChanged() throws(Refusal) {
        guard store.revocationCounter != seenCounter.load(ordering: .acquiring) else { return }
        try catchUp()
    }

    /// Reads the new entries of the log. One thread at a time, so that an older read cannot overwrite a newer one.
    package func catchUp() throws(Refusal) {
        try cursor.withLock { cursor throws(Refusal) in try catchUp(&cursor) }
    }

    /// One of the waiting requests reads the log for all.
    private func catchUpAfterSuspension() {
        cursor.withLock { cursor in
            if freshness.withLock(\.mustBeRead) { try? catchUp(&cursor) }
        }
    }

    private func catchUp(_ cursor: inout Cursor) throws(Refusal) {
        // Both before the log is read: an entry that is added during the read is not known afterwards.
        let counter = store.revocationCounter
        let start = clock()
        freshness.withLock { $0.notice(start) }
        var hasSucceeded = false
        defer { freshness.withLock { $0.endReading(from: start, at: clock(), succeeded: hasSucceeded) } }
        let entries = try store.revocations(after: cursor.place)
        if let last = entries.last {
            memory.withLock { insert(entries, into: &$0, now: start) }
            cursor.place = last.place
        }
        seenCounter.store(counter, ordering: .releasing)
        hasSucceeded = true
    }

    /// Refuses a caller whose session has ended, or whose token names a role or attributes that are out of date.
    package func check(_ caller: Caller) throws(Refusal) {
        let (changed, hasEnded) = memory.withLock { memory in
            (memory.users[caller.userID], memory.sessions[caller.sessionID] != nil)
        }
        if hasEnded {
            let state = changed?.state ?? changed.flatMap { try? currentState(of: caller.userID, after: $0) }
            throw state?.status == .disabled ? .userDisabled : .sessionRevoked
        }
        guard let changed else { return }
        if let state = changed.state {
            guard let refusal = state.refusal(of: caller) else { return }
            guard store.isShared else { throw refusal }
        }
        // Another node may have changed the user again, and have issued this token since.
        if let refusal = try currentState(of: caller.userID, after: changed).refusal(of: caller) { throw refusal }
    }

    /// Whether a caller whose token says that they have a phone number has lost it since. Only what the log has is known; a user
    /// who has got another one is read once.
    package func hasLostNumber(_ caller: Caller) throws(Refusal) -> Bool {
        guard let changed = memory.withLock({ $0.users[caller.userID] }), changed.state?.hasPhone != true else {
            return false
        }
        return try !currentState(of: caller.userID, after: changed).hasPhone
    }

    /// Whether a caller whose token says that they are a guest is one still. The first account of a guest is in the log, and
    /// nobody becomes a guest again.
    package func isGuest(_ caller: Caller) throws(Refusal) -> Bool {
        guard caller.isGuest, let changed = memory.withLock({ $0.users[caller.userID] }) else { return caller.isGuest }
        if let state = changed.state { return state.isGuest }
        return try currentState(of: caller.userID, after: changed).isGuest
    }

    /// Reads the user, and remembers the state until the log has another change of the user.
    private func currentState(of id: UserID, after changed: ChangedUser) throws(Refusal) -> UserState {
        let user = try store.user(id)
        var state = UserState(
            role: user?.role ?? .user, status: user?.status ?? .deleted, hasPhone: user?.phone != nil,
            isGuest: user?.isGuest ?? false)
        return memory.withLock { memory in
            state.attributes = user?.attributes.only(memory.attributeNames) ?? .none
            if memory.users[id]?.number == changed.number { memory.users[id]?.state = state }
            return state
        }
    }

    /// The role and the attributes that a new access token for this user must have. They may have changed since the user was
    /// read, and a token with the old ones would be refused. Where other nodes change users, what was read is the newer one.
    ///
    /// - Parameter names: the names of attributes that tokens contain.
    package func claims(
        of user: User, listing names: [String]
    ) throws(Refusal) -> (role: Role, attributes: Attributes) {
        var state: UserState?
        if !store.isShared {
            try catchUpIfChanged()
            state = memory.withLock { $0.users[user.id]?.state }
        }
        return (state?.role ?? user.role, (state?.attributes ?? user.attributes).only(names))
    }

    private func insert(_ entries: [Revocation], into memory: inout Memory, now: ContinuousClock.Instant) {
        for entry in entries {
            switch entry.subject {
            case .session(let id): memory.sessions[id] = now
            case .user(let id, let state):
                memory.changes += 1
                var kept = state
                if let all = state?.attributes { kept?.attributes = all.only(memory.attributeNames) }
                memory.users[id] = ChangedUser(state: kept, moment: now, number: memory.changes)
            }
        }
        prune(&memory, now: now)
    }

    /// The next threshold is twice the number of remaining entries, so the cost per entry is constant.
    private func prune(_ memory: inout Memory, now: ContinuousClock.Instant) {
        guard memory.sessions.count + memory.users.count >= memory.pruneAt else { return }
        let oldest = now - lifetime
        memory.sessions = memory.sessions.filter { $0.value >= oldest }
        memory.users = memory.users.filter { $0.value.moment >= oldest }
        memory.pruneAt = max(256, (memory.sessions.count + memory.users.count) * 2)
    }
}

extension UserState {
    fileprivate func refusal(of caller: Caller) -> Refusal? {
        switch status {
        case .disabled: .userDisabled
        case .deleted: .sessionRevoked
        case .active: role == caller.role && attributes == caller.attributes ? nil : .sessionRevoked
        }
    }
}

/// An entry of the store's revocation log.
package struct Revocation: Sendable, Equatable {
    package enum Subject: Sendable, Equatable {
        case session(SessionID)
        /// The user's role, status or attributes have changed; the state is the current one, not the one at the time of the entry. Nil
        /// if the user has to be read, which may take longer than to read the log.
        case user(UserID, UserState?)
    }

    /// Where to read on after this entry. Another entry that was committed at the same time may be returned again.
    package let place: Int64
    package let moment: Timestamp
    package let subject: Subject

    package init(place: Int64, moment: Timestamp, subject: Subject) {
        (self.place, self.moment, self.subject) = (place, moment, subject)
    }
}
