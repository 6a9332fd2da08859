import EventDelivery
import FileSystem
package import Gatehouse
import GatehouseStore
import GatehouseTokens
import GatehouseWeb
package import IdentityProviders
import JOSE
import JSON
import OpenSSL
import POSIX

/// The composition root: all of Gatehouse except the socket. Only this type knows which part implements which contract.
package struct Assembly: Sendable {
    package let handler: RequestHandler
    package let keys: ProviderKeys
    package let health: Health
    package let platform: Platform
    package let clocks: Clocks
    package let metrics: Metrics
    let publicAddressMonitor: PublicAddressMonitor
    let requests: RequestCounts
    let providers: ProviderRegistry
    let dispatcher: EventDispatcher
    let notices: any NoticeStore
    private let eventCounts: EventCounts
    private let senders: Senders
    private let events: ObservationReporter
    private let services: Current<ConfiguredServices>
    /// Encrypts the keys of the identity hashes with the current secret.
    private let sealHashKeys: @Sendable (KeyRing) -> Void
    /// Nil if the secrets belong to the database.
    let unfittingSecret: @Sendable (KeyRing) throws(StoreFailure) -> UnfittingSecret?
    /// Nil if the RP id belongs to the passkeys in the database.
    let changedRPID: @Sendable (Policy) throws(StoreFailure) -> ChangedRPID?

    /// The service with the current settings.
    package var auth: AuthService { services.value.auth }

    /// - Parameter startedAt: when the process started; nil for the current time.
    package init(
        _ configuration: Configuration, startedAt: Timestamp? = nil, platform: Platform = .system, log: Log
    ) throws {
        let (storeCounts, keyCounts) = (StoreCounts(), AppleKeyCounts())
        let store = try Self.store(of: configuration, log: log, counts: storeCounts)
        configuration.databaseMark?.write(warning: log)
        // First, so that nothing is written before the clock was checked.
        let node = ClockLog.newNodeID()
        let clocks = try Clocks(
            store: store, platform: platform, node: node, report: { ClockLog.write($0, to: log) })
        let keys = Self.appleKeys(
            configuration, store: store, clocks: clocks, platform: platform, log: log, counts: keyCounts)
        try LaterSettings.keepNames(in: store, now: platform.now())
        let hashes = try IdentityHashes.kept(
            in: store, by: configuration.refreshKeys, now: platform.now(), log: log)
        if let fault = try store.changedRPID(configuration.policy, now: platform.now()) { throw fault }
        let metrics = Metrics()
        let events = ObservationReporter(log: log)
        let providers = Self.providers(configuration, store: store, platform: platform, log: log)
        let senders = Self.senders(configuration, log: log)
        events.counts.logins.add(configuration.waysToSignIn)
        let built = providers.build(configuration.providers)
        let auth = try AuthService(
            store: store, tokens: Self.tokens(configuration), apple: Self.appleSignIn(configuration, keys: keys),
            appleServer: Self.appleServer(configuration), providers: built.logins,
            webProviders: Self.webProviders(built.web, configuration, appleKeys: keys),
            senders: senders.build(configuration.delivery), numbers: providers.numbers(configuration.delivery.numbers),
            passkeyVerifier: configuration.policy.passkeys.map(WebAuthnVerifier.init), hasher: hashes,
            policy: configuration.policy,
            platform: platform, clocks: clocks,
            report: { events.report($0, requestID: $1) })
        let eventCounts = EventCounts()
        let dispatcher = Self.dispatcher(
            configuration, store: store, node: node, clocks: clocks, platform: platform, counts: eventCounts,
            log: log)
        let health = Health(
            store: store, isOnServer: configuration.database.path == nil, keySetAge: { keys.age },
            revocationAge: { auth.revocationAge }, clocks: clocks, onFailure: { log.storeFailure($0, $1) })
        let publicAddressMonitor = PublicAddressMonitor(
            configuration.publicAddress.address, now: platform.now, log: log)
        let outside = Self.outside(keys: keys, providers: providers, senders: senders)
        let services = Current { Self.services(auth, configuration, health, metrics, outside) }
        let requests = RequestCounts(routes: services.value.router.routes)
        let (serviceCounts, refusals) = (ServiceCounts(configuration.policy.services), RefusalCounts())
        let sources: [any MetricSource] = [
            requests, serviceCounts, refusals, events.counts, AppleKeyGauges(keys: keys), keyCounts,
            ProviderGauges(registry: providers), DeliveryGauges(senders: senders), eventCounts,
            EventGauges(store: store, log: log, now: platform.now),
            StoreGauges(store: store, revocationAge: { auth.revocationAge }, log: log, now: platform.now),
            storeCounts, ClockGauges(clocks: clocks),
            ProcessGauges(startedAt: startedAt ?? platform.now(), now: platform.now), publicAddressMonitor,
        ]
        for source in sources { metrics.add(source) }
        handler = RequestHandler(
            services: services, counts: requests, serviceCounts: serviceCounts, refusals: refusals, log: log,
            platform: platform)
        self.services = services
        self.requests = requests
        self.keys = keys
        self.providers = providers
        self.dispatcher = dispatcher
        notices = store
        self.eventCounts = eventCounts
        self.senders = senders
        self.events = events
        self.health = health
        self.platform = platform
        self.clocks = clocks
        sealHashKeys = Self.sealing(hashes, in: store, now: platform.now, log: log)
        unfittingSecret = { ring throws(StoreFailure) in try IdentityHashes.unfittingSecret(ring, in: store) }
        changedRPID = { policy throws(StoreFailure) in try store.changedRPID(policy, now: platform.now()) }
        (self.metrics, self.publicAddressMonitor) = (metrics, publicAddressMonitor)
    }

    /// Applies new settings, except those that need a restart.
    package func apply(_ configuration: Configuration) {
        let built = providers.build(configuration.providers)
        let next = auth.with(
            tokens: Self.tokens(configuration), apple: Self.appleSignIn(configuration, keys: keys),
            appleServer: Self.appleServer(configuration), providers: built.logins,
            webProviders: Self.webProviders(built.web, configuration, appleKeys: keys),
            senders: senders.build(configuration.delivery), numbers: providers.numbers(configuration.delivery.numbers),
            passkeyVerifier: configuration.policy.passkeys.map(WebAuthnVerifier.init), policy: configuration.policy)
        events.counts.logins.add(configuration.waysToSignIn)
        eventCounts.add(configuration.receivers.map(\.name))
        dispatcher.apply(configuration.receivers)
        handler.serviceCounts.add(configuration.policy.services)
        sealHashKeys(configuration.refreshKeys)
        publicAddressMonitor.adopt(configuration.publicAddress.address)
        let outside = Self.outside(keys: keys, providers: self.providers, senders: senders)
        services.replace { Self.services(next, configuration, health, metrics, outside) }
    }
}

// MARK: - Parts

extension Assembly {
    private static func services(
        _ auth: AuthService, _ configuration: Configuration, _ health: Health, _ metrics: Metrics,
        _ outside: OutsideStates
    ) -> ConfiguredServices {
        let operations = Operations(
            storeFailure: { health.storeFailure(requestID: $0) }, readiness: { health.readiness(requestID: $0) },
            metrics: { metrics.text() })
        let documents = PublishedDocuments(
            keySet: keySet(of: configuration.accessKeys),
            metadata: .metadata(
                issuer: configuration.tokenIssuer, keys: configuration.accessKeys,
                webProviders: auth.webProviderNames),
            passkeys: PasskeyDocuments(configuration.passkeys),
            openAPI: { .openAPI }, openAPIForClients: { .openAPIForClients })
        return ConfiguredServices(
            auth: auth, router: Router(auth, documents: documents, operations: operations, outside: outside))
    }

    /// What administrators see of providers and gateways.
    private static func outside(keys: ProviderKeys, providers: ProviderRegistry, senders: Senders) -> OutsideStates {
        OutsideStates(
            providers: {
                [OutsideStates.Provider(name: Provider.apple.rawValue, hasKeys: true, keysAge: keys.age)]
                    + providers.states.map {
                        OutsideStates.Provider(name: $0.provider.rawValue, hasKeys: $0.hasKeys, keysAge: $0.age)
                    }
            },
            gateways: {
                CodeChannel.allCases.map { channel in
                    OutsideStates.Gateway(
                        channel: channel.rawValue, isConfigured: senders.isConfigured(channel),
                        failures: senders.failures(of: channel), waiting: senders.waiting(for: channel))
                }
            })
    }

    private static func appleSignIn(_ configuration: Configuration, keys: ProviderKeys) -> AppleSignIn {
        // Apple's notifications may name the client with which browsers sign in; the tokens of apps may not.
        var notifications = configuration.apple
        notifications.audiences += [configuration.appleWebClient?.id].compactMap { $0 }
        return AppleSignIn(
            rules: configuration.apple, keys: keys, replayGrace: configuration.appleReplayGrace,
            notifications: notifications)
    }

    /// - Parameter configured: those that have a file each.
    private static func webProviders(
        _ configured: [Provider: any WebIdentityProvider], _ configuration: Configuration, appleKeys: ProviderKeys
    ) -> [Provider: any WebIdentityProvider] {
        var providers = configured
        providers[.apple] = configuration.appleWebClient.map {
            AppleWebSignIn($0, issuers: configuration.apple.issuers, keys: appleKeys)
        }
        return providers
    }

    /// Nil if no credentials for Apple's servers are configured.
    private static func appleServer(_ configuration: Configuration) -> AppleServerAccess? {
        guard let server = AppleEndpoints(configuration), let vault = configuration.vault else { return nil }
        return AppleServerAccess(server: server, vault: vault)
    }

    private static func store(
        of configuration: Configuration, log: Log, counts: StoreCounts
    ) throws -> any ServerStore {
        switch configuration.database {
        case .sqlite(let path):
            if FileStatus.ifAny(at: path)?.isOpenToOthers == true {
                log(.warning, "storage", [("warning", .string("others can read the database: chmod o= \(path)"))])
            }
            return try SQLiteStore(
                path: path, mark: configuration.databaseMark?.path, onFailure: { counts.countFailure() },
                onCommit: { counts.count($0) })
        case .postgresql(let url):
            let settings = PostgreSQLSettings(
                url: url, connections: configuration.databaseConnections, timeout: configuration.databaseTimeout,
                waiters: configuration.workers)
            return try PostgreSQLStore(
                settings, onFailure: { counts.countFailure() }, onCommit: { counts.count($0) })
        }
    }

    /// At most three eighths of the workers may wait for a fetch, so that the others can answer requests that need no key.
    private static func appleKeys(
        _ configuration: Configuration, store: any ServerStore, clocks: Clocks, platform: Platform, log: Log,
        counts: AppleKeyCounts
    ) -> ProviderKeys {
        ProviderKeys(
            policy: KeySetPolicy(maximumWaiters: max(0, configuration.workers * 3 / 8 - 1)),
            archive: KeySetArchive(
                StoredKeySets(store: store, log: log), address: .keySet(url: configuration.appleKeysURL), of: .apple),
            now: platform.now,
            report: { report, requestID in
                counts.count(report)
                report.write(to: log, requestID: requestID)
            },
            source: ProviderKeys.source(at: configuration.appleKeysURL) { date in
                Timestamp(httpDate: date).map { clocks.note($0, by: "apple") }
            })
    }

    /// With those for Apple and for messages, they leave an eighth of the workers for requests that wait for no provider.
    private static func providers(
        _ configuration: Configuration, store: any ServerStore, platform: Platform, log: Log
    ) -> ProviderRegistry {
        let (eighth, quarter) = (max(1, configuration.workers / 8), max(1, configuration.workers / 4))
        return ProviderRegistry(
            ProviderRegistry.Environment(
                storage: StoredKeySets(store: store, log: log), replayGrace: configuration.appleReplayGrace,
                limits: ProviderRegistry.Limits(each: eighth, keys: eighth, logins: quarter), now: platform.now,
                log: log))
    }

    /// A sixteenth of the workers may wait for each receiver, so that one that hangs does not delay the other.
    private static func senders(_ configuration: Configuration, log: Log) -> Senders {
        Senders(each: max(1, configuration.workers / 16), log: log)
    }

    private static func dispatcher(
        _ configuration: Configuration, store: any ServerStore, node: String, clocks: Clocks, platform: Platform,
        counts: EventCounts, log: Log
    ) -> EventDispatcher {
        counts.add(configuration.receivers.map(\.name))
        let throttle = LogThrottle(every: .seconds(60))
        return EventDispatcher(
            configuration.receivers, store: store, node: node, writing: { user, json in user.write(to: &json) },
            now: platform.now, isClockTrusted: { !clocks.isInDoubt },
            report: { report in
                counts.count(report)
                report.write(to: log, throttle: throttle)
            })
    }

    private static func sealing(
        _ hashes: IdentityHashes, in store: any ServerStore, now: @escaping @Sendable () -> Timestamp, log: Log
    ) -> @Sendable (KeyRing) -> Void {
        { ring in
            do throws(StoreFailure) { try hashes.keep(in: store, by: ring, now: now()) } catch {
                log.storeFailure(error)
                let fault = "the keys of the identity hashes could not be encrypted again: \(error.description)"
                log(.error, "identity_hashes", [("fault", .string(fault))])
            }
        }
    }

    private static func keySet(of ring: KeyRing) -> PublishedDocument? {
        ring.publishedKeySet.map(PublishedDocument.init(hashing:))
    }

    private static func tokens(_ configuration: Configuration) -> JWTTokenService {
        JWTTokenService(
            issuer: configuration.tokenIssuer, audience: configuration.tokenAudience,
            accessKeys: configuration.accessKeys, refreshKeys: configuration.refreshKeys)
    }
}

extension Platform {
    /// The machine's clock and random number generator.
    package static let system = Platform(
        now: { Timestamp(milliseconds: WallClock.millisecondsSince1970()) },
        uptime: { .seconds(MachineUptime.seconds) },
        random: { RandomBuffer.perThread.own.take($0) }, equal: { constantTimeEquals($0, $1) })
}
