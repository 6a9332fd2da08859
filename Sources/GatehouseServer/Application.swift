import AppleID
import FastCGI
package import Gatehouse
import JSON
package import POSIX

/// The running server: an assembly behind a socket, with the threads that look after both.
package final class Application: Sendable {
    private let assembly: Assembly
    private let responder: Responder
    private let reloader: Reloader
    private let manager: ServiceManager
    private let log: Log

    /// Opens the store and the socket. Nothing is answered before `run`.
    ///
    /// - Parameters:
    ///   - listener: the configured socket, where it has been opened already.
    ///   - read: brings the settings as they are at SIGHUP.
    package init(
        _ configuration: Configuration, startedAt: Timestamp, manager: ServiceManager = ServiceManager(),
        listener: consuming Listener? = nil, log: Log,
        reading read: @escaping @Sendable () throws(SettingFaults) -> Configuration
    ) throws {
        let assembly = try Assembly(configuration, startedAt: startedAt, log: log)
        var inheritance = try Inheritance.taken()
        let connections = ConnectionMetrics()
        let faults = ConnectionFaults(metrics: connections, log: log)
        let responder = try Responder(
            listener: try Self.listener(
                inheritance.takeListener(), opened: listener, at: configuration.listen, log: log),
            workers: configuration.workers, limits: Self.limits(for: configuration), keeper: Self.keeper(manager),
            report: { faults.note($0) },
            handler: assembly.handler.answer)
        let sources: [any MetricSource] = [
            connections, LoadGauges(responder: responder), LogCounts(log: log),
        ]
        reloader = Reloader(configuration, for: assembly, log: log, reading: read)
        for source in sources + [reloader.record] { assembly.metrics.add(source) }
        self.responder = responder
        self.assembly = assembly
        self.manager = manager
        self.log = log
        adopt(inheritance)
    }

    /// Serves until SIGTERM or SIGINT, then answers what is under way and returns. A second one ends the process at once.
    package func run(until signals: Signals) throws {
        let ended = Monitor(false)
        let stopping = Monitor(false)
        let isLetGo = Monitor(false)
        // Apple may take seconds to answer, and what other processes have ended must not wait for it.
        let helpers = [
            try Thread.spawn(name: "fetching") { [self] in fetch(until: ended, stopping) },
            try Thread.spawn(name: "housekeeping") { [self] in keepHouse(until: ended) },
            try Thread.spawn(name: "apple-tasks") { [self] in dealWithApple(until: ended) },
            try Thread.spawn(name: "supervision") { [self] in supervisor.run(until: stopping) },
        ]
        // This thread never ends, and is not to hold what is closed when everybody has let go: the store, above all.
        _ = try Thread.spawn(name: "signals") { [weak self, log] in
            self?.watch(signals, stopping: stopping)
            isLetGo.change { $0 = true }
            Self.endAtSecond(of: signals, log: log)
        }
        defer {
            for monitor in [stopping, ended] { monitor.change { $0 = true } }
            for helper in helpers { helper.join() }
        }
        try responder.run()
        // Until then that thread holds the store, which would stay open when the process exits.
        isLetGo.wait { $0 ? () : nil }
        // The manager learns who we are by looking us up, so it has to have heard everything before we are gone.
        manager.waitUntilHeard()
        log(.info, "stopped")
    }

    private var supervisor: Supervisor {
        Supervisor(
            manager: manager, responder: responder, health: assembly.health, requests: assembly.requests,
            reloads: reloader.record, keySetAge: { [assembly] in assembly.keys.age }, log: log)
    }

    private func fetch(until ended: Monitor<Bool>, _ stopping: Monitor<Bool>) {
        repeat {
            assembly.keys.renewIfDue()
            // A server that stops accepts nothing, so a probe would wait in vain, and the stop for the probe.
            if !stopping.isReached(within: .zero) { assembly.publicWatch.probeIfDue() }
        } while !ended.isReached(within: .seconds(1))
    }

    private func dealWithApple(until ended: Monitor<Bool>) {
        var hasMore: Bool
        repeat {
            hasMore = (try? assembly.gatekeeper.serveAppleQueue()) ?? false
        } while !ended.isReached(within: hasMore ? .zero : .seconds(1))
    }

    /// A store that fails has said so in the log by itself; the next round tries again.
    private func keepHouse(until ended: Monitor<Bool>) {
        var pause: Duration
        repeat {
            let hasMore = (try? assembly.gatekeeper.keepHouse()) ?? false
            // Between two steps of many, requests have their turn.
            pause = hasMore ? .milliseconds(50) : .seconds(1)
        } while !ended.isReached(within: pause)
        try? assembly.gatekeeper.closeHouse()
    }

    /// Until the first signal to stop.
    private func watch(_ signals: Signals, stopping: Monitor<Bool>) {
        while true {
            let delivery = signals.next()
            switch delivery.signal {
            case .hangUp:
                manager.tell(.reloading)
                let isDone = reloader.reload()
                manager.tell(.ready, .status(reloader.record.refusal ?? "settings reloaded"))
                delivery.answer(isDone: isDone)
            case .interrupt, .terminate:
                return stop(stopping)
            }
        }
    }

    /// Whoever asks twice does not want to wait for what is under way.
    private static func endAtSecond(of signals: Signals, log: Log) {
        while true {
            let delivery = signals.next()
            guard delivery.signal != .hangUp else {
                delivery.answer(isDone: false)
                continue
            }
            log(.warning, "ended")
            log.close(atMost: .milliseconds(200))
            return Signals.end(by: delivery.signal)
        }
    }

    private func stop(_ stopping: Monitor<Bool>) {
        log(.info, "stopping")
        stopping.change { $0 = true }
        assembly.health.noteStopping()
        manager.tell(.stopping, .status("stopping: answering what is under way"))
        responder.shutDown()
    }

    /// Where somebody keeps them for the next process, connections outlive this one.
    private static func keeper(_ manager: ServiceManager) -> Responder.Keeper? {
        guard manager.isPresent else { return nil }
        return { manager.keep($0, as: Inheritance.connectionName) }
    }

    /// Goes on with the connections of the process before this one. Whoever kept them keeps copies until told otherwise,
    /// and their peers would never see them end.
    private func adopt(_ inheritance: consuming Inheritance) {
        guard inheritance.connectionCount > 0 else { return }
        var count: Int64 = 0
        inheritance.claimConnections { if responder.adopt($0) { count += 1 } }
        manager.forget(Inheritance.connectionName)
        log(.info, "connections_adopted", [("count", .integer(count))])
    }

    /// Connections fit what may be open beside the readers of the database and what else there is.
    private static func limits(for configuration: Configuration) -> Limits {
        var limits = Limits.standard
        limits.connections = max(
            16, min(limits.connections, DescriptorLimit.raise() - DescriptorNeed.own(workers: configuration.workers)))
        return limits
    }

    /// The socket that systemd hands over wins over the configured one.
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
