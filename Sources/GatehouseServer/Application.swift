import AppleID
import Curl
import FastCGI
import Gatehouse
import GatehouseStore
import GatehouseTokens
import GatehouseWeb
import JSON
import OpenSSL
package import POSIX

/// Gatehouse put together: the one place that knows every part.
package final class Application: Sendable {
    private let keys: AppleKeys
    private let responder: Responder
    private let log: Log

    /// Opens the store and the socket. Nothing is answered before `run`.
    package init(_ configuration: Configuration, log: Log) throws {
        let world = World(
            now: { Timestamp(milliseconds: WallClock.millisecondsSince1970()) },
            random: { SecureRandom.bytes($0) }, equal: { constantTimeEquals($0, $1) })
        let store = try Self.store(at: configuration.database, log: log)
        keys = AppleKeys(now: world.now, source: AppleKeySource.fetching(configuration.appleKeysURL, log: log))
        let gatekeeper = try Gatekeeper(
            store: store, tokens: Self.tokens(configuration),
            apple: AppleIdentity(verifier: IdentityTokenVerifier(policy: configuration.apple), keys: keys),
            policy: configuration.policy, world: world)
        let site = Site(router: Router(gatekeeper), log: log, world: world)
        responder = try Responder(
            listener: try Self.listener(at: configuration.listen, log: log), workers: configuration.workers,
            report: { log(.debug, "connection", [("fault", .string("\($0)"))]) }, handler: site.answer)
        self.log = log
    }

    /// Serves until SIGTERM or SIGINT, then answers what is under way and returns.
    package func run(until signals: Signals) throws {
        let ended = Monitor(false)
        let housekeeping = try Thread.spawn(name: "housekeeping") { [keys] in
            repeat { keys.renewIfDue() } while ended.wait(atMost: .seconds(5), for: { $0 ? () : nil }) == nil
        }
        let watcher = try Thread.spawn(name: "signals") { [self] in watch(signals) }
        defer {
            ended.change { $0 = true }
            housekeeping.join()
            _ = watcher
        }
        try responder.run()
        log(.info, "stopped")
    }

    private func watch(_ signals: Signals) {
        while true {
            switch signals.next() {
            case .hangUp:
                continue
            case .interrupt, .terminate:
                log(.info, "stopping")
                return responder.shutDown()
            }
        }
    }

    private static func store(at address: DatabaseAddress, log: Log) throws -> SQLiteStore {
        switch address {
        case .sqlite(let path):
            try SQLiteStore(path: path) { log(.error, "storage", [("fault", .string($0))]) }
        }
    }

    private static func tokens(_ configuration: Configuration) -> JWTTokenService {
        JWTTokenService(
            access: AccessTokens(
                issuer: configuration.tokenIssuer, audience: configuration.tokenAudience,
                ring: configuration.accessKeys),
            refresh: RefreshTokens(ring: configuration.refreshKeys))
    }

    /// The socket that systemd hands over wins over the configured one.
    private static func listener(at address: ListenAddress, log: Log) throws -> Listener {
        if let inherited = try Listener.inherited() {
            log(.info, "listening", [("on", "the inherited socket")])
            return inherited
        }
        defer { log(.info, "listening", [("on", .string(address.description))]) }
        switch address {
        case .unix(let path): return try Listener.unix(path: path)
        case .tcp(let host, let port): return try Listener.tcp(host: host, port: port)
        }
    }
}
