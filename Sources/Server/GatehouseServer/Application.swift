import FastCGI
package import Gatehouse
import IdentityProviders
import JSON
import POSIX
package import Processes
package import Sockets

/// The running server: the assembly behind a socket, with its background threads.
package final class Application: Sendable {
    private let assembly: Assembly
    private let responder: Responder
    private let reloader: Reloader
    private let manager: ServiceManager
    private let log: Log

    /// Opens the store and the socket. Requests are answered by `run`; if a database on a server cannot be reached, this
    /// waits for it, and answers them with 503.
    ///
    /// - Parameters:
    ///   - listener: the configured socket, if it has been opened already.
    ///   - read: reads the settings again at SIGHUP.
    package init(
        _ configuration: Configuration, startedAt: Timestamp, manager: ServiceManager = ServiceManager(),
        listener: consuming Listener? = nil, log: Log,
        reading read: @escaping @Sendable () throws(SettingFaults) -> Configuration
    ) throws {
        var inheritance = try InheritedSockets.taken()
        var listener = consume listener
        func open() throws -> Assembly { try Assembly(configuration, startedAt: startedAt, log: log) }
        let assembly: Assembly
        do { assembly = try open() } catch let failure as StoreFailure
            where UnreachableDatabase.isCause(of: failure, configuration)
        {
            let door = try Self.listener(
                inheritance.takeListener(), opened: listener.take(), at: configuration.listen, log: log)
            let meanwhile = UnreachableDatabase(limits: Self.limits(for: configuration), manager: manager, log: log)
            do {
                assembly = try meanwhile.wait(
                    at: door, after: failure,
                    adopting: { Self.adopt(&inheritance, by: $0, manager, log) }, opening: open,
                    while: { UnreachableDatabase.isCause(of: $0, configuration) })
            } catch {
                _ = door.withdraw()
                throw error
            }
            listener = consume door
        }
        let connections = ConnectionMetrics()
        let faults = ConnectionFaults(metrics: connections, log: log)
        let responder = try Responder(
            listener: try Self.listener(
                inheritance.takeListener(), opened: listener.take(), at: configuration.listen, log: log),
            workers: configuration.threads, limits: Self.limits(for: configuration), keeper: Self.keeper(manager),
            report: { faults.report($0) },
            handler: assembly.handler.answer)
        let sources: [any MetricSource] = [
            connections, LoadGauges(responder: responder), LogCounts(log: log),
        ]
        reloader = Reloader(configuration, for: assembly, log: log, reading: read)
        for source in sources + [reloader.record] { assembly.metrics.add(source) }
        (self.responder, self.assembly, self.manager, self.log) = (responder, assembly, manager, log)
        Self.adopt(&inheritance, by: responder, manager, log)
    }

    /// Serves until SIGTERM or SIGINT, and returns after a graceful shutdown. A second signal ends the process at once.
    package func run(until signals: Signals) throws {
        let ended = Monitor(false)
        let stopping = Monitor(false)
        let isReleased = Monitor(false)
        let work = BackgroundWork(assembly: assembly, log: log)
        // Apple may take seconds to answer, and the database too: one thread for each.
        let threads = [
            try Thread.spawn(name: "fetching") { work.fetch(until: ended, stopping) },
            try Thread.spawn(name: "provider-keys") { work.renewProviderKeys(until: ended) },
            try Thread.spawn(name: "revocations") { work.followRevocations(until: ended) },
            try Thread.spawn(name: "maintenance") { work.runMaintenance(until: ended) },
            try Thread.spawn(name: "apple-tasks") { work.runAppleTasks(until: ended) },
            try Thread.spawn(name: "notices") { work.sendNotices(until: ended) },
            try Thread.spawn(name: "events") { work.sendEvents(until: stopping) },
            try Thread.spawn(name: "supervision") { [self] in supervisor.run(until: stopping) },
        ]
        // This thread never ends, so it must not keep a reference to the store, which is closed
        // with its last reference.
        _ = try Thread.spawn(name: "signals") { [weak self, log] in
            self?.watch(signals, stopping: stopping)
            isReleased.change { $0 = true }
            Self.endAtSecondSignal(of: signals, log: log)
        }
        defer {
            for monitor in [stopping, ended] { monitor.change { $0 = true } }
            for thread in threads { thread.join() }
        }
        try responder.run()
        // The signal thread refers to the store until then, and a store in use would not be closed before the exit.
        isReleased.wait { $0 ? () : nil }
        // The service manager looks up the sender of each message, so it must have read all messages
        // before the process ends.
        manager.waitUntilRead()
        log(.info, "stopped")
    }

    private var supervisor: Supervisor {
        Supervisor(
            manager: manager, responder: responder, health: assembly.health, requests: assembly.requests,
            reloads: reloader.record, keySetAge: { [assembly] in assembly.keys.age }, log: log)
    }

    /// Handles signals until the first one to stop.
    private func watch(_ signals: Signals, stopping: Monitor<Bool>) {
        while true {
            let delivery = signals.next()
            switch delivery.signal {
            case .hangUp:
                manager.notify(.reloading)
                let isDone = reloader.reload()
                manager.notify(.ready, .status(reloader.record.refusal ?? "settings reloaded"))
                delivery.answer(isDone: isDone)
            case .interrupt, .terminate:
                return stop(stopping)
            }
        }
    }

    /// A second signal means that the operator does not want to wait for the requests in progress.
    private static func endAtSecondSignal(of signals: Signals, log: Log) {
        while true {
            let delivery = signals.next()
            guard delivery.signal != .hangUp else {
                delivery.answer(isDone: false)
                continue
            }
            log(.warning, "ended")
            // The thread of the log may have to wait for a processor.
            log.close(atMost: .seconds(2))
            return Signals.end(by: delivery.signal)
        }
    }

    private func stop(_ stopping: Monitor<Bool>) {
        log(.info, "stopping")
        stopping.change { $0 = true }
        assembly.health.markStopping()
        manager.notify(.stopping, .status("stopping: answering the requests in progress"))
        responder.shutDown()
    }

    /// Connections that the service manager keeps for the next process survive a restart. Nil without a manager.
    private static func keeper(_ manager: ServiceManager) -> Responder.Keeper? {
        guard manager.isPresent else { return nil }
        return { manager.store($0, as: InheritedSockets.connectionName) }
    }

    /// Takes over the connections of the previous process. The service manager must drop its copies, or the peers would
    /// never see the connections end.
    private static func adopt(
        _ inheritance: inout InheritedSockets, by responder: Responder, _ manager: ServiceManager, _ log: Log
    ) {
        guard inheritance.connectionCount > 0 else { return }
        var count: Int64 = 0
        inheritance.claimConnections { if responder.adopt($0) { count += 1 } }
        manager.remove(InheritedSockets.connectionName)
        log(.info, "connections_adopted", [("count", .integer(count))])
    }

    /// The limit of connections that leaves enough file descriptors for the rest of the server.
    private static func limits(for configuration: Configuration) -> Limits {
        var limits = Limits.standard
        limits.connections = max(
            16, min(limits.connections, DescriptorLimit.raise() - configuration.descriptorNeed.own))
        return limits
    }

    /// A socket from systemd takes precedence over the configured one.
    private static func listener(
        _ inherited: consuming Listener?, opened: consuming Listener?, at address: ListenAddress, log: Log
    ) throws -> Listener {
        if let inherited {
            log(.info, "listening", [("on", "the inherited socket")])
            return inherited
        }
        let listener = if let opened { opened } else { try Self.listener(at: address) }
        log(.info, "listening", [("on", .string(address.description))])
        return listener
    }

    private static func listener(at address: ListenAddress) throws -> Listener {
        switch address {
        case .unix(let path): try Listener.unix(path: path)
        case .tcp(let host, let port): try Listener.tcp(host: host, port: port)
        }
    }
}
