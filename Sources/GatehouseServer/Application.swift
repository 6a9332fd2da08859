import AppleID
import FastCGI
import Gatehouse
import JSON
package import POSIX

/// The running server: an assembly behind a socket, with the threads that look after both.
package final class Application: Sendable {
    private let assembly: Assembly
    private let responder: Responder
    private let reloader: Reloader
    private let log: Log

    /// Opens the store and the socket. Nothing is answered before `run`.
    ///
    /// - Parameter read: brings the settings as they are at SIGHUP.
    package init(
        _ configuration: Configuration, log: Log,
        reading read: @escaping @Sendable () throws(SettingFaults) -> Configuration
    ) throws {
        let assembly = try Assembly(configuration, log: log)
        let requests = RequestHandler(assembly: assembly, log: log)
        responder = try Responder(
            listener: try Self.listener(at: configuration.listen, log: log), workers: configuration.workers,
            limits: Self.limits(for: configuration),
            report: { log($0.level, "connection", [("fault", .string("\($0)"))]) },
            handler: requests.answer)
        reloader = Reloader(configuration, for: assembly, log: log, reading: read)
        self.assembly = assembly
        self.log = log
    }

    /// Serves until SIGTERM or SIGINT, then answers what is under way and returns.
    package func run(until signals: Signals) throws {
        let ended = Monitor(false)
        // Apple may take seconds to answer, and what other processes have ended must not wait for it.
        let helpers = [
            try Thread.spawn(name: "apple-keys") { [self] in fetchKeys(until: ended) },
            try Thread.spawn(name: "housekeeping") { [self] in keepHouse(until: ended) },
            try Thread.spawn(name: "apple-tasks") { [self] in dealWithApple(until: ended) },
        ]
        _ = try Thread.spawn(name: "signals") { [self] in watch(signals) }
        defer {
            ended.change { $0 = true }
            for helper in helpers { helper.join() }
        }
        try responder.run()
        log(.info, "stopped")
    }

    private func fetchKeys(until ended: Monitor<Bool>) {
        repeat { assembly.keys.renewIfDue() } while !ended.isReached(within: .seconds(1))
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

    private func watch(_ signals: Signals) {
        while true {
            switch signals.next() {
            case .hangUp: reloader.reload()
            case .interrupt, .terminate:
                log(.info, "stopping")
                return responder.shutDown()
            }
        }
    }

    /// Connections fit what may be open beside the workers' pipes, the readers of the database and what else there is.
    private static func limits(for configuration: Configuration) -> Limits {
        var limits = Limits.standard
        let own = 64 + 8 * configuration.workers
        limits.connections = max(16, min(limits.connections, DescriptorLimit.raise() - own))
        return limits
    }

    /// The socket that systemd hands over wins over the configured one.
    private static func listener(at address: ListenAddress, log: Log) throws -> Listener {
        if let inherited = try Listener.inherited() {
            log(.info, "listening", [("on", "the inherited socket")])
            return inherited
        }
        let listener =
            switch address {
            case .unix(let path): try Listener.unix(path: path)
            case .tcp(let host, let port): try Listener.tcp(host: host, port: port)
            }
        log(.info, "listening", [("on", .string(address.description))])
        return listener
    }
}

extension Monitor<Bool> {
    fileprivate func isReached(within time: Duration) -> Bool {
        wait(atMost: time, for: { $0 ? () : nil }) != nil
    }
}
