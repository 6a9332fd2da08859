package import EventDelivery
package import Gatehouse
package import GatehouseTokens
package import IdentityProviders
import OpenSSL

/// The validated settings of a server.
package struct Configuration: Sendable {
    package let environment: AppEnvironment
    package let listen: ListenAddress
    package let database: DatabaseAddress
    let databaseMark: DatabaseMark?
    let databaseConnections: Int
    let databaseTimeout: Duration
    package let workers: Int
    package let publicAddress: PublicAddressSetting
    package let logLevel: LogLevel

    package let accessKeys: KeyRing
    package let refreshKeys: KeyRing
    package let tokenIssuer: String
    package let tokenAudience: String
    package let policy: Policy

    package let apple: TokenRules
    package let appleReplayGrace: Duration
    package let appleKeysURL: String
    /// Nil if no credentials for Apple's endpoints are set.
    package let appleServer: AppleServerSettings?
    /// Nil if browsers do not sign in with Apple.
    package let appleWebClient: AppleWebClient?
    /// The providers that have a file each, in the order of their names.
    package let providers: [ConfiguredProvider]
    /// How codes are sent.
    package let delivery: ConfiguredDelivery
    /// The services that are told of events, `default` first, and then in the order of their names.
    package let receivers: [EventReceiver]
    package let vault: DataVault?
    /// What is published about passkeys; nil if they are off.
    package let passkeys: PublishedPasskeys?

    /// Warnings about values that are allowed but are probably mistakes.
    package let warnings: [String]

    /// For a comparison with a later configuration.
    let digests: SettingDigests

    /// Twice the workers if the database is on a server: while it does not answer and as many requests wait for it as
    /// there are workers, requests that need no database still find a thread.
    var threads: Int { Self.threads(workers: workers, isOnServer: database.path == nil) }

    static func threads(workers: Int, isOnServer: Bool) -> Int { isOnServer ? workers * 2 : workers }

    /// Besides Apple and the development login.
    var waysToSignIn: [Provider] {
        let numbers: [Provider] = delivery.numbers == nil ? [] : [.phone]
        return providers.map(\.name) + delivery.channels.map(\.provider) + numbers + (passkeys == nil ? [] : [.passkey])
            + (policy.guests.access == .off ? [] : [.guest])
    }

    static let minimumDevelopmentSecretBytes = 16

    /// Reads every setting. Throws all faults at once. An unknown name is a fault unless the database knows it from another
    /// version of this program.
    package init(from source: SettingSource) throws(SettingFaults) {
        try source.requireReadableFile()
        var settings = SettingReader<Settings>(source, Settings.all)
        settings.addMissing()
        let configuration = Self(&settings)
        let faults = [source.closedFolder].compactMap { $0 } + settings.faults
        if let configuration, faults.isEmpty {
            self = configuration
            return
        }
        guard source.later == nil, faults.contains(where: { $0.unknown != nil }) else {
            throw SettingFaults(faults: faults)
        }
        let later: LaterSettings?
        do {
            later = try LaterSettings(
                asking: settings[\.process.database], as: settings[\.process.environment])
        } catch {
            let name = Settings.table.process.database.name
            let doubt = SettingFault(name, "cannot say whether another version knows the unknown settings: \(error)")
            throw SettingFaults(faults: faults + [doubt], isTemporary: true)
        }
        try self.init(from: source.passing(later ?? .none))
    }

    /// Adds the faults that concern several settings. Returns nil if there are no keys, which is a fault.
    private init?(_ settings: inout SettingReader<Settings>) {
        environment = settings[\.process.environment]
        listen = settings[\.process.listen]
        database = settings[\.process.database]
        databaseMark = settings.databaseMark()
        databaseConnections = settings[\.process.databaseConnections]
        databaseTimeout = settings[\.process.databaseTimeout]
        workers = settings[\.process.workers]
        publicAddress = settings.publicAddress()
        logLevel = settings[\.process.logLevel]
        tokenIssuer = settings[\.process.tokenIssuer]
        tokenAudience = settings[\.process.tokenAudience]
        apple = settings.appleRules
        appleReplayGrace = settings[\.sessions.replayGrace]
        appleKeysURL = settings[\.apple.keysURL]
        let server = settings.appleServer()
        appleServer = server.settings
        providers = settings.providers()
        receivers = settings.receivers()
        settings.warnOfSharedSecrets(receivers)
        let (vault, dataKeys) = settings.vault(isRequired: server.isSet)
        self.vault = vault
        let web = settings.webPolicy(at: publicAddress)
        appleWebClient = settings.appleWebClient(by: web)
        settings.warnOfUnusedClients(providers, apple: appleWebClient)
        let passkeys = settings.passkeys()
        self.passkeys = passkeys?.published
        policy = settings.policy(
            developmentSecretHash: settings.developmentSecretHash(), at: publicAddress, web: web,
            services: settings.serviceAccess(), passkeys: passkeys?.policy)
        let delivery = settings.delivery()
        if environment == .production { settings.warnOfTestCodes() }
        for warning in SettingWarnings.about(policy) { settings.warn(warning) }
        let others = dataKeys + settings.serviceSecrets
        guard let rings = settings.keyRings(besides: others), let delivery else { return nil }
        self.delivery = delivery
        (accessKeys, refreshKeys) = rings
        warnings = settings.warnings
        digests = settings.digests
    }
}
