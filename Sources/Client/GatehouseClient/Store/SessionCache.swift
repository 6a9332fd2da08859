import Foundation

/// The session in memory, and its place in the store that other processes may share.
///
/// Two rules keep every process signed in without a lock: each reads the store before it changes the session, and of
/// two states of one session the one with more refreshes is newer. The server gives the same successor to processes
/// that refresh at the same time, so the newer state is the same for all.
struct SessionCache {
    private let store: any SessionStore
    private let clock: ClientClock
    /// The origin of the server that the session in the store belongs to.
    private let origin: String
    /// Nil as long as neither the store could be read nor a user has signed in or out.
    private(set) var record: Record?
    /// When the access token in memory expires.
    private var deadline: ContinuousClock.Instant?
    /// The login that the store held when it was last read or saved. If it holds another one, another process has
    /// signed in or out.
    private var lastSeen = LastSeen.never
    /// Whether memory holds a change that could not be saved.
    private(set) var isUnsaved = false

    /// Logins that this process has ended or replaced. Another process that read the store before may save one of them
    /// again.
    private var ended: Set<UUID> = []

    private enum LastSeen: Equatable {
        case never
        case login(UUID?)
    }

    init(store: any SessionStore, origin: String, clock: ClientClock) {
        (self.store, self.origin, self.clock) = (store, origin, clock)
    }

    var session: StoredSession? { record?.session }

    /// How long the access token is valid.
    var remaining: Duration {
        deadline.map { clock.now().duration(to: $0) } ?? .zero
    }

    // MARK: Reading

    /// Reads the store, adopts newer states from it, and saves newer states of memory.
    ///
    /// What the store holds for another server is not read, and stays until there is something to save for this one.
    mutating func read() throws(StoreUnavailable) {
        let found = try Record.decode(store.load())
        let stored = found.origin == nil || found.origin == origin ? found : Record()
        let merged = merge(stored)
        adopt(merged)
        lastSeen = .login(stored.session?.login)
        let hasOrigin = stored.isEmpty || stored.origin != nil
        if merged == stored, hasOrigin { isUnsaved = false } else { try save() }
    }

    private func merge(_ stored: Record) -> Record {
        guard let own = record else { return stored }
        var merged = stored
        if isUnsaved {
            for logout in own.logouts { merged.add(logout) }
            if merged.nextKey == nil { merged.nextKey = own.nextKey }
            for name in own.oldKeys ?? [] { merged.oldKeys = (merged.oldKeys ?? []) + [name] }
        }
        switch lastSeen {
        case _ where isReplaced(stored.session), .never:
            merged.session = own.session
            if let old = stored.session, old.login != own.session?.login { merged.add(PendingLogout(old)) }
        case .login(let login) where login == stored.session?.login:
            if !isNewer(stored.session, than: own.session) { merged.session = own.session }
        case .login:
            break
        }
        merged.replaceKeys(of: stored)
        if isUnsaved { merged.replaceKeys(of: own) }
        return merged
    }

    /// Whether a login or logout of this process has replaced the stored session, perhaps before the store could be
    /// read.
    private func isReplaced(_ stored: StoredSession?) -> Bool {
        stored.map { ended.contains($0.login) } ?? false
    }

    private func isNewer(_ stored: StoredSession?, than own: StoredSession?) -> Bool {
        guard let stored, let own, stored.login == own.login else { return false }
        return stored.refreshes > own.refreshes || (stored.refreshes == own.refreshes && !isUnsaved)
    }

    /// The monotonic clock does not tell when another run of the app got the tokens. The device's clock says so, and
    /// may be wrong: then the token is refreshed too early once, or refused by the server and refreshed then.
    private mutating func adopt(_ merged: Record) {
        defer { record = merged }
        guard let tokens = merged.session?.tokens, tokens != record?.session?.tokens else { return }
        let age = clock.date().timeIntervalSince(tokens.receivedAt)
        let isPlausible = age >= 0 && age < Double(tokens.expiresIn)
        deadline = clock.now().advanced(by: isPlausible ? .seconds(Double(tokens.expiresIn) - age) : .zero)
    }

    // MARK: Changing

    /// Changes memory in any case. Throws if the change could not be saved; the next `read` tries again.
    mutating func change(_ body: (inout Record) -> Void) throws(StoreUnavailable) {
        if record == nil { try? read() }
        var changed = record ?? Record()
        body(&changed)
        changed.replaceKeys(of: record)
        // What another server's client has stored is not replaced by nothing.
        if changed == record, !isUnsaved { return }
        let before = record?.session
        record = changed
        if let login = before?.login, login != changed.session?.login { ended.insert(login) }
        if let tokens = changed.session?.tokens, tokens != before?.tokens {
            deadline = clock.now().advanced(by: .seconds(tokens.expiresIn))
        }
        isUnsaved = true
        guard lastSeen == .never else { return try save() }
        do {
            try read()
        } catch .unreadable {
            // The stored value will never become readable, and the user has signed in or out.
            try save()
        }
    }

    private mutating func save() throws(StoreUnavailable) {
        isUnsaved = true
        var saved = record
        saved?.origin = origin
        record = saved
        try store.save(try saved?.encoded())
        isUnsaved = false
        lastSeen = .login(record?.session?.login)
    }

    /// The server refused the access token although it had not expired by this clock.
    mutating func expire(_ accessToken: Token) {
        if session?.tokens.accessToken == accessToken { deadline = clock.now() }
    }
}

extension PendingLogout {
    init(_ session: StoredSession, everywhere: Bool = false) {
        self.init(
            accessToken: session.tokens.accessToken, refreshToken: session.tokens.refreshToken, everywhere: everywhere,
            user: session.user.id, key: session.key)
    }
}

/// The clocks of the client, which tests replace.
package struct ClientClock: Sendable {
    package var now: @Sendable () -> ContinuousClock.Instant = { .now }
    package var date: @Sendable () -> Date = { Date() }
    package var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }

    package init() {}
}
