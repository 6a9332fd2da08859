package import AppleID
package import Gatehouse
import GatehouseStore
import GatehouseTokens
import GatehouseWeb
import JOSE
import JSON
import OpenSSL
import POSIX

/// Gatehouse put together, all but the socket: the one place that knows which part stands behind which contract.
package struct Assembly: Sendable {
    /// Answers requests, and notes them.
    package let handler: RequestHandler
    package let keys: AppleKeys
    package let health: Health
    package let world: World
    package let metrics: Metrics
    let publicWatch: PublicWatch
    let requests: RequestCounts
    private let edition: Current<Edition>
    /// Seals the keys of the identity hashes with the current secret.
    private let keepHashes: @Sendable (KeyRing) -> Void

    /// What decides on the requests that come in now. Each takes it once, and goes on with it to its end.
    package var gatekeeper: Gatekeeper { edition.value.gatekeeper }

    /// - Parameter startedAt: when the process began, before it read its settings; now, where that does not matter.
    package init(
        _ configuration: Configuration, startedAt: Timestamp? = nil, world: World = .real, log: Log
    ) throws {
        let (storeCounts, keyCounts, counts) = (StoreCounts(), AppleKeyCounts(), OccurrenceCounts())
        let store = try Self.store(at: configuration.database, log: log, counts: storeCounts)
        let keys = Self.appleKeys(configuration, documents: store, world: world, log: log, counts: keyCounts)
        let hashes = try IdentityHashes.kept(in: store, by: configuration.refreshKeys, now: world.now(), log: log)
        let misspelling = Occasionally(every: .seconds(60))
        let metrics = Metrics()
        let gatekeeper = try Gatekeeper(
            store: store, tokens: Self.tokens(configuration), apple: Self.appleSignIn(configuration, keys: keys),
            desk: Self.desk(configuration),
            hasher: hashes,
            policy: configuration.policy, world: world,
            notice: { occurrence in
                counts.count(occurrence)
                Self.note(occurrence, in: log, misspelling)
            })
        let health = Health(store: store, keySetAge: { keys.age })
        let publicWatch = PublicWatch(configuration.publicAddress.address, now: world.now, log: log)
        let edition = Current { Self.edition(gatekeeper, configuration, health, metrics) }
        let requests = RequestCounts(routes: edition.value.router.routes)
        let sources: [any MetricSource] = [
            requests, counts, AppleKeyGauges(keys: keys), keyCounts, StoreGauges(store: store, now: world.now),
            storeCounts, ProcessGauges(startedAt: startedAt ?? world.now(), now: world.now), publicWatch,
        ]
        for source in sources { metrics.add(source) }
        handler = RequestHandler(edition: edition, counts: requests, log: log, world: world)
        self.edition = edition
        self.requests = requests
        self.keys = keys
        self.health = health
        self.world = world
        keepHashes = { ring in
            do throws(StoreFailure) { try hashes.keep(in: store, by: ring, now: world.now()) } catch {
                let fault = "the keys of the identity hashes could not be sealed anew: \(error.description)"
                log(.error, "identity_hashes", [("fault", .string(fault))])
            }
        }
        self.metrics = metrics
        self.publicWatch = publicWatch
    }

    /// Has what comes in from now on answered by these settings, but for those that need a restart.
    package func adopt(_ configuration: Configuration) {
        let next = gatekeeper.with(
            tokens: Self.tokens(configuration), apple: Self.appleSignIn(configuration, keys: keys),
            desk: Self.desk(configuration), policy: configuration.policy)
        keepHashes(configuration.refreshKeys)
        publicWatch.adopt(configuration.publicAddress.address)
        edition.replace { Self.edition(next, configuration, health, metrics) }
    }

    private static func edition(
        _ gatekeeper: Gatekeeper, _ configuration: Configuration, _ health: Health, _ metrics: Metrics
    ) -> Edition {
        Edition(
            gatekeeper: gatekeeper,
            router: Router(
                gatekeeper, keySet: keySet(of: configuration.accessKeys),
                health: { () throws(StoreFailure) in try health.check() }, readiness: { health.readiness() },
                metrics: { metrics.text() }))
    }

    private static func appleSignIn(_ configuration: Configuration, keys: AppleKeys) -> AppleSignIn {
        AppleSignIn(verifier: IdentityTokenVerifier(policy: configuration.apple), keys: keys)
    }

    /// What an operator should hear of at once. All else is counted, and stands in the audit trail.
    private static func note(_ occurrence: Occurrence, in log: Log, _ misspelling: Occasionally) {
        switch occurrence {
        case .recognised(let user, let session): CurrentRequest.own.recognise(user, session)
        case .refreshTokenReused(let session, let user):
            log(.warning, "refresh_token_reused", [("session", .string(session.text)), ("user", .string(user.text))])
        case .unknownRoleDemanded(let name):
            guard misspelling.permits(name) else { return }
            let fault = "a guarded location of nginx demands a role that does not exist, and is closed to everybody"
            log(.error, "guard", [("fault", .string(fault)), ("role", .string(name))])
        case .appleTaskFailed(let kind, let fault, let user):
            log(
                fault.level, "apple_task",
                [
                    ("kind", .string(kind.rawValue)), ("fault", .string(fault.explanation)),
                    ("user", .string(user.text)),
                ])
        default: return
        }
    }

    /// Nil where Apple's servers have not been told of us.
    private static func desk(_ configuration: Configuration) -> AppleDesk? {
        guard let server = AppleEndpoints(configuration), let vault = configuration.vault else { return nil }
        return AppleDesk(server: server, vault: vault)
    }

    private static func store(
        at address: DatabaseAddress, log: Log, counts: StoreCounts
    ) throws -> SQLiteStore {
        switch address {
        case .sqlite(let path):
            if FileStatus.ifAny(at: path)?.isOpenToOthers == true {
                log(.warning, "storage", [("warning", .string("others can read the database: chmod o= \(path)"))])
            }
            return try SQLiteStore(
                path: path,
                report: { fault in
                    counts.countFailure()
                    log(.error, "storage", [("fault", .string(fault))])
                }, observe: { counts.count($0) })
        }
    }

    /// A login that fetches and those that wait for it leave half of the workers to everybody else.
    private static func appleKeys(
        _ configuration: Configuration, documents: any DocumentStore, world: World, log: Log, counts: AppleKeyCounts
    ) -> AppleKeys {
        AppleKeys(
            policy: KeySetPolicy(mostWaiting: max(0, configuration.workers / 2 - 1)),
            archive: KeySetArchive(documents, address: configuration.appleKeysURL), now: world.now,
            report: { report in
                counts.count(report)
                report.note(in: log)
            }, source: AppleKeySource.fetching(configuration.appleKeysURL))
    }

    private static func keySet(of ring: KeyRing) -> PublishedDocument? {
        ring.publishedKeySet.map { PublishedDocument(bytes: $0, tag: Base64URL.encode(SHA256.hash($0))) }
    }

    private static func tokens(_ configuration: Configuration) -> JWTTokenService {
        JWTTokenService(
            access: AccessTokens(
                issuer: configuration.tokenIssuer, audience: configuration.tokenAudience,
                ring: configuration.accessKeys),
            refresh: RefreshTokens(ring: configuration.refreshKeys),
            challenges: Challenges(ring: configuration.refreshKeys))
    }
}

extension World {
    /// This machine's clock and dice.
    package static let real = World(
        now: { Timestamp(milliseconds: WallClock.millisecondsSince1970()) },
        random: { RandomStock.perThread.own.take($0) }, equal: { constantTimeEquals($0, $1) })
}
