import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Signs a user in, keeps the session, and sends the user's requests.
///
/// Create one per process. Every method may be called from any task at any time: requests share one refresh, and
/// cancelling a task cancels neither the refresh nor another task's request.
public actor GatehouseClient {
    nonisolated let connection: Connection
    nonisolated let clock: ClientClock
    private nonisolated let stateBroadcast = Broadcast<AuthState>(latest: .unknown(.notRead))
    private nonisolated let failureBroadcast = Broadcast<StoreFailure>(repeatsLatest: false)

    var cache: SessionCache
    var signOutReason: SignOutReason?
    /// The login that created its user, in this run of the app.
    var loginOfNewUser: UUID?
    /// The login whose user is new and has the address of another user, in this run of the app.
    var loginOfKnownAddress: UUID?
    /// An access token that was refused although it had just been refreshed. Refreshing it again would not help.
    var refusedAfterRefresh: Token?
    /// A login whose key was refused, in this run of the app.
    var loginOfRefusedKey: UUID?
    /// Counts logins and logouts, so that a late answer of an earlier one is recognised.
    var loginNumber = 0
    var renewal: Renewal?
    /// The server asked not to refresh before this moment.
    var pause: Pause?
    var delivery: Task<Bool, Never>?
    /// Logins whose answer has not arrived.
    var pendingLogins = 0
    /// Logins that may still need a key: also cancelled ones, whose sessions have to be ended.
    var loginsUnderWay = 0
    /// How often an addition of a passkey has begun or ended: a list from before must hide no new one.
    var passkeyAdditions = 0
    private var storeRetry: Task<Void, Never>?
    private var numberOfStoreFailures = 0

    /// A URL that cannot be the server's is a programming error and stops the program. ``fault(in:)`` checks a URL
    /// without stopping it.
    ///
    /// - Parameters:
    ///   - url: the server, such as `https://api.example.com`, without `/api`.
    ///   - store: where the session is kept.
    ///   - trustedOrigins: other servers to which `send` may send the access token, such as
    ///     `https://files.example.com`. Each of them can act as the user until the token expires.
    ///   - transport: sends the requests.
    ///   - binding: whether logins bind their sessions to this device.
    public init(
        _ url: URL, store: any SessionStore, trustedOrigins: [URL] = [],
        transport: any HTTPTransport = URLSessionTransport(), binding: SessionBinding = .automatic
    ) {
        self.init(
            url, store: store, trustedOrigins: trustedOrigins, transport: transport, binding: binding,
            clock: ClientClock())
    }

    package init(
        _ url: URL, store: any SessionStore, trustedOrigins: [URL] = [], transport: any HTTPTransport,
        binding: SessionBinding = .automatic, clock: ClientClock
    ) {
        // Unlike a precondition, it also prints its message in a release build.
        if let fault = Self.fault(in: url) { fatalError(fault) }
        if let fault = trustedOrigins.lazy.compactMap(ServerURL.fault(inOrigin:)).first { fatalError(fault) }
        self.clock = clock
        connection = Connection(
            url: url, trustedOrigins: Set(trustedOrigins.compactMap(Origin.init)), transport: transport, clock: clock,
            prover: Prover(binding, store: store, clock: clock))
        cache = SessionCache(store: store, origin: Origin(url)?.description ?? "", clock: clock)
    }

    /// Why this cannot be the URL of the server, and what to give instead. Nil if it can be. For apps in which a user
    /// enters the URL.
    public nonisolated static func fault(in url: URL) -> String? { ServerURL.fault(in: url) }

    // MARK: State

    /// Whether a user is signed in: the present state, then each new one.
    public nonisolated var states: AsyncStream<AuthState> { stateBroadcast.stream() }

    public nonisolated var state: AuthState { stateBroadcast.latest ?? .unknown(.notRead) }

    /// By which provider the user of the present session has signed in. Nil if no user is signed in, or an earlier version
    /// of the library has stored the session.
    public var loginProvider: Provider? { cache.session?.provider }

    /// Why the session could not be saved or read, each time that it fails. The client keeps the session in memory, and
    /// tries again until it succeeds.
    public nonisolated var storeFailures: AsyncStream<StoreUnavailable> {
        let failures = failureBroadcast.stream()
        return AsyncStream { continuation in
            let task = Task {
                for await failure in failures { continuation.yield(failure.reason) }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Reads the stored session. Call it when the app starts. It needs no network: whether the server still accepts the
    /// session turns out with the first request. A session whose key is gone is signed out; see
    /// ``SignOutReason/deviceKeyLost``.
    ///
    /// - Returns: `.unknown` where the store cannot be read yet. The client reads it again until it can.
    /// - Throws: ``StoreUnavailable/unreadable`` where waiting does not help: sign in again.
    @discardableResult
    public func restore() async throws(GatehouseError) -> AuthState {
        do {
            try readStore()
        } catch .unreadable {
            throw .storeUnavailable(.unreadable)
        } catch {
            return state
        }
        await checkKey()
        deliverLogoutsInBackground()
        return state
    }

    // MARK: The store

    /// Reads changes of other processes, saves changes that could not be saved before, and publishes the state.
    func readStore() throws(StoreUnavailable) {
        let login = cache.session?.login
        defer { publish(after: login) }
        do {
            try cache.read()
        } catch {
            report(error)
            throw error
        }
        deleteOldKeys()
    }

    /// Changes the session. A change that cannot be saved stays in memory and is saved later.
    func changeStore(_ change: (inout Record) -> Void) {
        do {
            try cache.change(change)
        } catch {
            report(error)
        }
        deleteOldKeys()
    }

    func report(_ failure: StoreUnavailable) {
        if cache.record == nil { stateBroadcast.send(.unknown(failure)) }
        numberOfStoreFailures += 1
        failureBroadcast.send(StoreFailure(number: numberOfStoreFailures, reason: failure))
        if failure != .unreadable { retryStore() }
    }

    private func retryStore() {
        guard storeRetry == nil else { return }
        storeRetry = Task { [weak self, clock] in
            for seconds in sequence(first: 1, next: { min($0 * 2, 60) }) {
                do { try await clock.sleep(.seconds(seconds)) } catch { return }
                guard let self, await self.needsStoreRetry() else { return }
            }
        }
    }

    private func needsStoreRetry() -> Bool {
        if (try? readStore()) != nil {
            storeRetry = nil
            deliverLogoutsInBackground()
            return false
        }
        return true
    }

    // MARK: Publishing

    /// - Parameter login: the session before the store was read. If it is gone, another process has ended it.
    private func publish(after login: UUID?) {
        if login != nil, cache.record != nil, cache.session == nil { signOutReason = .otherProcess }
        publish()
    }

    func publish() {
        guard cache.record != nil else { return }
        guard let session = cache.session else { return stateBroadcast.send(.signedOut(signOutReason)) }
        signOutReason = nil
        let (isNewUser, isKnown) = (session.login == loginOfNewUser, session.login == loginOfKnownAddress)
        stateBroadcast.send(.signedIn(Session(user: session.user, isNewUser: isNewUser, isKnownAddress: isKnown)))
    }
}

/// Numbered, so that two equal failures are both published.
private struct StoreFailure: Equatable {
    let number: Int
    let reason: StoreUnavailable
}
