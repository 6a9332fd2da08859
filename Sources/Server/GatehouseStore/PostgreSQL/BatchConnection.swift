import POSIX
import PostgreSQL

/// A connection for one batch at a time, opened when it is first needed and after each loss.
///
/// `@unchecked Sendable`: only the thread that has set `isInUse` uses it.
final class BatchConnection: @unchecked Sendable {
    private let servers: Servers
    private var opened: ServerConnection?
    private let isInUse = Monitor(false)

    init(_ servers: Servers) {
        self.servers = servers
    }

    func use<Result>(until end: MonotonicTime, _ body: (Connection) throws -> Result) throws -> Result {
        isInUse.wait(for: Self.take)
        defer { isInUse.changeForOne { $0 = false } }
        let current = try open(until: end)
        return try servers.use(current, until: end, body)
    }

    /// Whether the time of the request that leads a batch ends before a wait for a lock would time out. Then its
    /// time-out says nothing about other requests, which have more time.
    func hasLittleTime(until end: MonotonicTime) -> Bool { end < .now + servers.options.lockTimeout }

    /// Nil while another thread uses the connection.
    private static func take(_ isInUse: inout Bool) -> Void? {
        guard !isInUse else { return nil }
        isInUse = true
        return ()
    }

    private func open(until end: MonotonicTime? = nil) throws -> ServerConnection {
        let old = opened.flatMap { $0.connection.isInTransaction ? nil : $0 }
        opened = nil
        let current = try old.map { try servers.current($0, until: end) } ?? servers.connect(until: end)
        opened = current
        return current
    }
}

/// Has connections for requests, and lends one that is open and not in use.
protocol ConnectionLender: Sendable {
    /// Works with a connection; nil if there is none.
    ///
    /// - Parameter time: how long to wait for a connection that is in use. With nil the connection must be free and
    ///   current.
    func lend<Result>(orWaitFor time: Duration?, _ body: (ServerConnection) throws -> Result) throws -> Result?
}

extension BatchConnection: ConnectionLender {
    func lend<Result>(
        orWaitFor time: Duration?, _ body: (ServerConnection) throws -> Result
    ) throws -> Result? {
        guard isInUse.wait(atMost: time ?? .zero, for: Self.take) != nil else { return nil }
        defer { isInUse.changeForOne { $0 = false } }
        guard let opened, time != nil || servers.isCurrent(opened) else { return nil }
        return try body(open())
    }
}
