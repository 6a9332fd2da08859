package import Gatehouse
import POSIX
import PostgreSQL
import SQL
import Synchronization

/// Reads the log of revocations, to which every node appends.
///
/// A reading tries, in this order: the reader's own connection, so that busy requests do not delay it; an idle
/// connection of requests; a new connection of its own; and, if none can be opened, a connection of requests once it is
/// free. A notification only makes the next reading sooner: it is lost with its connection, and no pooler delivers it.
///
/// The cursor of the log is the `place` of the last entry: the number of its transaction, but less than that of every
/// transaction that is still running. Transactions 10 and 12 are running, and 12 commits: its entry has place 9, since
/// 10 may still add one. The next reading begins after 9 and returns the entries of 10, and of 12 again. After a
/// failover, the log is read from its start (`LogPosition`).
package final class RevocationReader: Sendable {
    private struct State {
        var own: ServerConnection?
        var position = LogPosition()
    }

    /// How long one connection may take to answer. Together with the second between two readings, and with a reading
    /// over another connection, it stays below the two seconds within which a session must end on all nodes.
    private static let silence = Duration.milliseconds(400)

    private let servers: Servers
    private let lenders: [any ConnectionLender]
    private let state = Mutex(State())

    init(_ servers: Servers, borrowingFrom lenders: [any ConnectionLender]) {
        (self.servers, self.lenders) = (servers, lenders)
    }

    /// Returns at a notification, or after this time at the latest.
    func wait(atMost time: Duration) {
        let deadline = MonotonicTime.now + time
        let hasWaited = state.withLock { state in
            guard let own = state.own, servers.isCurrent(own), !own.connection.isPooled else { return false }
            return (try? servers.use(own) { try $0.waitForNotifications(until: deadline) }) != nil
        }
        if !hasWaited { Thread.pause(for: .milliseconds(deadline.millisecondsLeft)) }
    }

    func revocations(after place: Int64) throws -> [Revocation] {
        try state.withLock { state in
            if let found = readByOwn(&state, after: place) { return found }
            if let found = readByBorrowed(&state, after: place) { return found }
            do {
                let new = try open()
                state.own = new
                // Without the short time-out: a large log takes longer.
                return try read(&state, after: place, by: new, within: nil)
            } catch {
                // A server that accepts no more connections may still answer over open ones.
                guard state.own == nil,
                    let found = readByBorrowed(&state, after: place, orWaitFor: Self.silence)
                else {
                    throw error
                }
                return found
            }
        }
    }

    /// Opens the reader's own connection if it was lost, on another thread than its readings: resolving a name may
    /// block.
    func reopen() {
        let isMissing = state.withLockIfAvailable { $0.own.map { !servers.isCurrent($0) } ?? true }
        guard isMissing == true, let opened = try? open() else { return }
        state.withLock { $0.own = opened }
    }

    /// No notification is missed: the log is read after the connection has begun to listen.
    private func open() throws -> ServerConnection {
        let opened = try servers.connect()
        if !opened.connection.isPooled {
            try servers.use(opened) { try $0.listen(to: "gatehouse_revocations") }
        }
        return opened
    }
}

// MARK: - Connections

extension RevocationReader {
    private func readByOwn(_ state: inout State, after place: Int64) -> [Revocation]? {
        guard let own = state.own, servers.isCurrent(own) else {
            state.own = nil
            return nil
        }
        let found = try? read(&state, after: place, by: own, within: Self.silence)
        if found == nil { state.own = nil }
        return found
    }

    private func readByBorrowed(
        _ state: inout State, after place: Int64, orWaitFor time: Duration? = nil
    ) -> [Revocation]? {
        for lender in lenders {
            let found = try? lender.lend(orWaitFor: time) {
                try read(&state, after: place, by: $0, within: Self.silence)
            }
            if let found = found ?? nil { return found }
        }
        return nil
    }

    private func read(
        _ state: inout State, after place: Int64, by opened: ServerConnection, within limit: Duration?
    ) throws -> [Revocation] {
        let start = state.position.start(after: place, on: opened.connection.timeline)
        let found = try servers.use(opened, answeringWithin: limit) { try $0.revocations(after: start) }
        state.position.timeline = opened.connection.timeline
        return found
    }
}

/// Decides where a reading of the log begins after a failover.
///
/// The last reading ended at place 900 on timeline 3. The new primary, of timeline 4, has received transactions up to
/// 880 and numbers its own from 881. An entry of its transaction 890 would be missed after 900. So 900 is stale, and
/// the log is read from its start until the caller has another place.
struct LogPosition {
    /// The timeline of the last reading.
    var timeline: Int64?
    /// A place that the previous primary gave.
    private var stalePlace: Int64?

    mutating func start(after place: Int64, on found: Int64?) -> Int64 {
        if let timeline, timeline != found { stalePlace = place }
        return place == stalePlace ? 0 : place
    }
}

extension PostgreSQLStore {
    package func revocations(after place: Int64) throws(Refusal) -> [Revocation] {
        do { return try revocations.revocations(after: place) } catch { throw .storageUnavailable(failure(error)) }
    }

    /// Constant: the log is read in the background, so requests need not check a counter.
    package var revocationCounter: UInt64 { 0 }

    package func incrementRevocationCounter() {}

    package var isShared: Bool { true }

    package var mayBeBehind: Bool { servers.count > 1 }

    package func waitForRevocations(atMost time: Duration) { revocations.wait(atMost: time) }
}
