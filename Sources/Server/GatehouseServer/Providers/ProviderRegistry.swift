import Gatehouse
import IdentityProviders
import JOSE
import POSIX
import Synchronization

/// The providers beside Apple, built from the settings. A reload keeps what it can: the keys of a provider that has stayed at
/// its address, the metadata of its issuer, and the gates, whose calls may be under way.
final class ProviderRegistry: Sendable {
    /// What a provider's parts are made with.
    struct Environment: Sendable {
        let storage: any KeySetStorage
        let replayGrace: Duration
        let limits: Limits
        let now: @Sendable () -> Timestamp
        let log: Log
    }

    /// How many requests may wait for an answer. Each of them occupies a worker thread.
    struct Limits: Sendable {
        /// For one provider.
        let each: Int
        /// For the keys of all OpenID providers.
        let keys: Int
        /// For the answers of all providers that are asked at each login.
        let logins: Int
    }

    private struct Part {
        let keys: ProviderKeys?
        let keySource: KeySourceSettings?
        /// Nil unless browsers sign in with addresses of the metadata.
        let discovery: OpenIDDiscovery?
        let gate: CallGate
    }

    /// The providers by their names: for what apps send, and for browsers.
    struct Built {
        var logins: [Provider: any IdentityProvider] = [:]
        var web: [Provider: any WebIdentityProvider] = [:]
    }

    /// The settings that make another key set necessary.
    private struct KeySourceSettings: Equatable {
        let address: KeySetAddress
        let algorithms: [Algorithm]
    }

    private let environment: Environment
    private let waiters: SharedWaiters
    private let gate: CallGate
    private let numberGate: CallGate
    private let parts = Mutex<[Provider: Part]>([:])

    init(_ environment: Environment) {
        self.environment = environment
        waiters = SharedWaiters(limit: environment.limits.keys)
        gate = CallGate(limit: environment.limits.logins)
        numberGate = CallGate(limit: environment.limits.each, shared: gate)
    }

    /// Builds the providers of a configuration. Those of the last one are forgotten.
    func build(_ configured: [ConfiguredProvider]) -> Built {
        let known = parts.withLock { $0 }
        let next = Dictionary(
            uniqueKeysWithValues: configured.map { ($0.name, part(of: $0, keeping: known[$0.name])) })
        parts.withLock { $0 = next }
        var built = Built()
        for settings in configured {
            guard let part = next[settings.name] else { continue }
            let (name, details) = (settings.name, settings.details)
            built.logins[name] = details.provider(name, parts(of: name, part))
            guard let client = settings.web else { continue }
            built.web[name] = details.webProvider(
                name, client, parts(of: name, part, post: settings.postToTokenEndpoint))
        }
        return built
    }

    /// Nil without one-tap sign-in. A reload keeps the gate, whose questions may be under way.
    func numbers(_ settings: NumberReceiverSettings?) -> (any NumberExchange)? {
        settings.map { NumberReceiver($0, calls: ProviderCalls(gate: numberGate, report: report(of: .phone))) }
    }

    /// Fetches the key sets whose renewal is due. Called about once a second by a background thread. A login that
    /// needs an unknown key fetches the keys itself, so a provider that hangs here delays no login by another provider.
    func renewKeysIfDue() {
        for part in parts.withLock({ Array($0.values) }) { part.keys?.renewIfDue() }
    }

    /// Time since the key set of each OpenID provider was fetched; nil for one without a usable set.
    var keySetAges: [(provider: Provider, age: Duration?)] {
        parts.withLock { $0 }.compactMap { name, part in part.keys.map { (name, $0.age) } }
            .sorted { $0.provider.rawValue < $1.provider.rawValue }
    }

    /// Each provider, and the same of its keys if it has any.
    var states: [(provider: Provider, hasKeys: Bool, age: Duration?)] {
        parts.withLock { $0 }.map { name, part in (name, part.keys != nil, part.keys?.age) }
            .sorted { $0.provider.rawValue < $1.provider.rawValue }
    }

    /// Number of logins that wait for a provider's answer to a code now.
    var waitingLogins: Int { gate.count }
}

// MARK: - Parts

extension ProviderRegistry {
    private func part(of provider: ConfiguredProvider, keeping known: Part?) -> Part {
        let gate = known?.gate ?? CallGate(limit: environment.limits.each, shared: gate)
        guard let (rules, address) = provider.openID else {
            return Part(keys: nil, keySource: nil, discovery: nil, gate: gate)
        }
        let source = KeySourceSettings(address: address, algorithms: rules.algorithms)
        let keys = known?.keySource == source ? known?.keys : nil
        return Part(
            keys: keys ?? self.keys(of: provider.name, rules, at: address), keySource: source,
            discovery: discovery(of: provider, rules, gate, keeping: known?.discovery), gate: gate)
    }

    private func discovery(
        of provider: ConfiguredProvider, _ rules: TokenRules, _ gate: CallGate, keeping known: OpenIDDiscovery?
    ) -> OpenIDDiscovery? {
        guard let client = provider.web, client.needsMetadata, let issuer = rules.issuers.first else { return nil }
        if let known, known.issuer == issuer { return known }
        return OpenIDDiscovery(issuer: issuer, of: provider.name, gate: gate, report: report(of: provider.name))
    }

    private func keys(of name: Provider, _ rules: TokenRules, at address: KeySetAddress) -> ProviderKeys {
        ProviderKeys(
            policy: KeySetPolicy(for: rules, maximumWaiters: environment.limits.each),
            archive: KeySetArchive(environment.storage, address: address, of: name), shared: waiters,
            now: environment.now,
            report: { [log = environment.log] report, requestID in
                report.write(to: log, of: name, requestID: requestID)
            },
            source: ProviderKeys.source(of: address))
    }

    private func parts(
        of name: Provider, _ part: Part, post: @escaping ProviderCalls.Post = ProviderCalls.networkPost
    ) -> ProviderParts {
        ProviderParts(
            keys: part.keys, discovery: part.discovery,
            calls: ProviderCalls(gate: part.gate, post: post, report: report(of: name)),
            replayGrace: environment.replayGrace)
    }

    private func report(of name: Provider) -> ProviderReport.Handler {
        { [log = environment.log, throttle = LogThrottle(every: .seconds(60))] report, requestID in
            report.write(to: log, of: name, throttle: throttle, requestID: requestID)
        }
    }
}
