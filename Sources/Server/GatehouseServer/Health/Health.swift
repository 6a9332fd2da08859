package import Gatehouse
package import GatehouseStore
package import GatehouseWeb
import Synchronization

/// The health checks of this process, for monitoring, operators and the service manager.
package final class Health: Sendable {
    private let store: any ProbedStore
    private let keySetAge: @Sendable () -> Duration?
    private let revocationAge: @Sendable () -> Duration?
    private let clocks: Clocks?
    private let isOnServer: Bool
    private let reading = Mutex(StoreProbe(freshness: .seconds(1)))
    private let writing = Mutex(StoreProbe(freshness: .seconds(5)))
    private let filing = Mutex(StoreProbe(freshness: .seconds(1)))
    private let onFailure: @Sendable (StoreFailure, _ requestID: String?) -> Void
    private let isStopping = Atomic(false)

    /// - Parameter isOnServer: whether the database is on a server, and not a file.
    package init(
        store: any ProbedStore, isOnServer: Bool = false, keySetAge: @escaping @Sendable () -> Duration?,
        revocationAge: @escaping @Sendable () -> Duration? = { nil }, clocks: Clocks? = nil,
        onFailure: @escaping @Sendable (StoreFailure, _ requestID: String?) -> Void = { _, _ in }
    ) {
        self.store = store
        self.isOnServer = isOnServer
        self.onFailure = onFailure
        self.keySetAge = keySetAge
        self.revocationAge = revocationAge
        self.clocks = clocks
    }

    package func markStopping() { isStopping.store(true, ordering: .relaxed) }

    /// Reads from the store on the caller's thread. If the store hangs, the caller hangs too, and its client detects
    /// that with a timeout.
    ///
    /// - Returns: nil if that succeeds, otherwise what an operator should do.
    package func storeFailure(requestID: String? = nil) -> String? {
        do throws(StoreFailure) {
            try store.probeReading()
            return nil
        } catch {
            onFailure(error, requestID)
            return error.cause.advice(isOnServer: isOnServer)
        }
    }

    /// Checks every part. The store is probed at most once every few seconds, whatever the number of callers.
    package func readiness(requestID: String? = nil) -> Readiness {
        let read = attempt(reading, requestID) { () throws(StoreFailure) in try store.probeReading() }
        let write = attempt(writing, requestID, knowing: store.lastWrite) { () throws(StoreFailure) in
            try store.probeWriting()
        }
        return Readiness(
            parts: [
                storePart("store_read", read, success: "the store can be read", failure: "the store cannot be read"),
                storePart("store_write", write, success: "the store can be written", failure: "the last write failed"),
            ] + filePart(requestID) + revocationPart + clockPart + [keySetPart, servingPart])
    }

    /// Empty for a database on a server.
    private func filePart(_ requestID: String?) -> [Readiness.Part] {
        guard !isOnServer else { return [] }
        let step = attempt(filing, requestID) { () throws(StoreFailure) in try store.probeFiles() }
        return [
            storePart(
                "store_file", step, success: "the database file is in its place",
                failure: "the open database file is not in its place")
        ]
    }

    /// A fault that is known without a probe; nil if there is none.
    package var knownFault: String? {
        // Without other writes, only a probe shows whether the store can be written again.
        guard store.lastWrite?.failure == nil, filePart(nil).allSatisfy(\.isReady) else {
            let readiness = readiness()
            return readiness.isReady ? nil : readiness.summary
        }
        if let clocks, clocks.isApart { return clockPart.first?.detail }
        return keySetAge() == nil ? keySetPart.detail : nil
    }

    private func attempt(
        _ probe: borrowing Mutex<StoreProbe>, _ requestID: String?, knowing outcome: WriteOutcome? = nil,
        _ work: () throws(StoreFailure) -> Void
    ) -> StoreProbe.Step {
        let step = probe.withLock { probe in
            probe.update(outcome)
            return probe.next(now: .now)
        }
        guard case .run = step else { return step }
        var failure: StoreFailure?
        do throws(StoreFailure) { try work() } catch {
            failure = error
            onFailure(error, requestID)
        }
        probe.withLock { [failure] in $0.finished(failure, now: .now) }
        return .known(failure)
    }

    private func storePart(_ name: String, _ step: StoreProbe.Step, success: String, failure text: String)
        -> Readiness.Part
    {
        switch step {
        case .known(nil): Readiness.Part(name, isReady: true, success)
        case .known(let failure?):
            Readiness.Part(name, isReady: false, "\(text): \(failure.cause.advice(isOnServer: isOnServer))")
        case .overdue(let time):
            Readiness.Part(
                name, isReady: false,
                "the store has not answered for \(time.abbreviated): "
                    + (isOnServer
                        ? StoreFailure.Cause.waits
                        : "check the disk, and which other processes have the database open"))
        case .run: preconditionFailure("the caller has run the probe")
        }
    }

    /// Empty without other nodes.
    private var revocationPart: [Readiness.Part] {
        guard let age = revocationAge() else { return [] }
        guard age > Revocations.longestBlindness else {
            return [Readiness.Part("revocations", isReady: true, "what other nodes have ended is known")]
        }
        return [
            Readiness.Part(
                "revocations", isReady: false,
                "what other nodes have ended could not be read for \(age.abbreviated), so guarded requests are refused: "
                    + "check that the database has a primary, and that this machine reaches it")
        ]
    }

    /// Empty while two clocks agree.
    private var clockPart: [Readiness.Part] {
        guard let clocks, clocks.agreement != .agrees else { return [] }
        let detail =
            clocks.isApart
            ? "the other nodes agree with the database's clock, so this machine's is wrong: see timedatectl status"
            : "nothing expired is deleted until two clocks agree: see timedatectl status, here and at the database"
        return [
            Readiness.Part("clock", isReady: !clocks.isApart, "\(clocks.agreement.explanation): \(detail)")
        ]
    }

    private var keySetPart: Readiness.Part {
        guard let age = keySetAge() else {
            return Readiness.Part(
                "apple_keys", isReady: false,
                "Apple's keys are not available, so users cannot sign in with Apple: check that this machine reaches "
                    + "\(Settings.table.apple.keysURL.name); the log has the result of each fetch (event apple_keys)")
        }
        return Readiness.Part("apple_keys", isReady: true, "Apple's keys are \(age.abbreviated) old")
    }

    private var servingPart: Readiness.Part {
        isStopping.load(ordering: .relaxed)
            ? Readiness.Part("serving", isReady: false, "the server is stopping: it finishes the requests in progress")
            : Readiness.Part("serving", isReady: true, "requests are answered")
    }
}

extension Duration {
    /// The duration in its largest unit, such as `40 s`, `3 min` or `5 h`.
    var abbreviated: String {
        let seconds = wholeSeconds
        return switch seconds {
        case ..<60: "\(max(0, seconds)) s"
        case ..<3600: "\(seconds / 60) min"
        default: "\(seconds / 3600) h"
        }
    }
}

extension StoreFailure.Cause {
    /// What an operator should do. It contains no path.
    ///
    /// - Parameter isOnServer: whether the database is on a server, and not a file.
    func advice(isOnServer: Bool) -> String {
        switch self {
        case .full: "the disk is full, or the file may not grow: free space (df -h) or files (df -i) on it"
        case .busy where isOnServer:
            "a lock was held or all connections were in use for too long: " + Self.waits
        case .busy: "another process holds the database: find the process that has it open, and end it"
        case .readOnly: "the database cannot be written: check its owner, its mode and how the file system is mounted"
        case .damaged: "the database is damaged: run gatehouse check, and restore a backup"
        case .unreadable: "the database cannot be opened or read: see the log, the disk (df -h, df -i) and its mode"
        case .unwritable: "the disk does not accept writes: check its free space, quotas and errors (dmesg)"
        case .unreachable:
            "the database server cannot be reached, or none is the primary: check that one runs, and that this machine reaches it"
        case .denied:
            "the database refuses the user, the password or a privilege: check DATABASE_URL, and run gatehouse check"
        case .displaced:
            "it was removed or replaced, and what is written is lost when the server ends. Before you stop the server, run "
                + "gatehouse check, which says how to save the database and its -wal (Operations.md, Backups)"
        case .other: "the log has the reason (event storage)"
        }
    }

    /// The advice if requests wait for a database on a server.
    fileprivate static let waits =
        "on the database server, look for slow statements (pg_stat_activity), locks that are held (pg_blocking_pids) and "
        + "a standby that confirms commits slowly (pg_stat_replication)"
}

/// Decides when the store is probed, and keeps the last result. It does no I/O itself: the caller probes and reports
/// the result. At any time one thread probes, whatever the number of callers, and a result is reused for a few seconds.
struct StoreProbe {
    enum Step {
        /// The caller probes, and reports the result with `finished`.
        case run
        /// The result of the last probe.
        case known(StoreFailure?)
        /// Another thread has been probing for this time.
        case overdue(Duration)
    }

    /// The time for which a result is reused.
    private let freshness: Duration
    /// A probe that takes longer means that the store does not answer.
    private let timeLimit: Duration

    private var startedAt: ContinuousClock.Instant?
    private var outcome: WriteOutcome?

    init(freshness: Duration, timeLimit: Duration = .seconds(3)) {
        (self.freshness, self.timeLimit) = (freshness, timeLimit)
    }

    mutating func next(now: ContinuousClock.Instant) -> Step {
        if let startedAt {
            let time = startedAt.duration(to: now)
            if time < timeLimit, let outcome { return .known(outcome.failure) }
            return .overdue(time)
        }
        if let outcome, outcome.moment.duration(to: now) < freshness { return .known(outcome.failure) }
        startedAt = now
        return .run
    }

    mutating func finished(_ failure: StoreFailure?, now: ContinuousClock.Instant) {
        startedAt = nil
        outcome = WriteOutcome(failure: failure, at: now)
    }

    /// Uses the result of other work on the store in place of a probe, if it is newer.
    mutating func update(_ newer: WriteOutcome?) {
        guard let newer, outcome.map({ $0.moment < newer.moment }) ?? true else { return }
        outcome = newer
    }
}
