package import AppleID
package import Gatehouse
import GatehouseStore
import GatehouseTokens
package import GatehouseWeb
import JSON
import OpenSSL
import POSIX

/// Gatehouse put together, all but the socket: the one place that knows which part stands behind which contract.
package struct Assembly: Sendable {
    package let router: Router
    package let keys: AppleKeys
    package let world: World

    package init(_ configuration: Configuration, world: World = .real, log: Log) throws {
        // Logins that wait for a fetch leave half of the workers to everybody else.
        let keys = AppleKeys(
            policy: KeySetPolicy(mostWaiting: configuration.workers / 2), now: world.now,
            source: AppleKeySource.fetching(configuration.appleKeysURL, log: log))
        let gatekeeper = try Gatekeeper(
            store: try Self.store(at: configuration.database, log: log), tokens: Self.tokens(configuration),
            apple: AppleIdentity(verifier: IdentityTokenVerifier(policy: configuration.apple), keys: keys),
            policy: configuration.policy, world: world)
        router = Router(gatekeeper)
        self.keys = keys
        self.world = world
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
}

extension World {
    /// This machine's clock and dice.
    package static let real = World(
        now: { Timestamp(milliseconds: WallClock.millisecondsSince1970()) },
        random: { SecureRandom.bytes($0) }, equal: { constantTimeEquals($0, $1) })
}
