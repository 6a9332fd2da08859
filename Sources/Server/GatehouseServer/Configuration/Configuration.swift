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

    /// Warnings about values that are allowed but are probably mistakes.
    package let warnings: [String]

    /// For a comparison with a later configuration.
    let digests: SettingDigests

    /// Twice the workers if the database is on a server: while it does not answer and as many requests wait for it as
    /// there are workers, requests that need no database still find a thread.
    var threads: Int { Self.threads(workers: workers, isOnServer: database.path == nil) }

    static func threads(workers: Int, isOnServer: Bool) -> Int { isOnServer ? workers * 2 : workers }

    /// Besides Apple and the development login.
    var waysToSignIn: [Provider] { providers.map(\.name) + delivery.channels.map(\.provider) }

    static let minimumDevelopmentSecretBytes = 16

    /// Reads every setting. Throws all faults at once.
    package init(from source: SettingSource) throws(SettingFaults) {
        try source.requireReadableFile()
        var settings = SettingReader(source)
        settings.addMissing()
        let configuration = Self(&settings)
        let faults = [source.closedFolder].compactMap { $0 } + settings.faults
        guard faults.isEmpty, let configuration else { throw SettingFaults(faults: faults) }
        self = configuration
    }

    /// Adds the faults that concern several settings. Returns nil if there are no keys, which is a fault.
    private init?(_ settings: inout SettingReader) {
        environment = settings[\.environment]
        listen = settings[\.listen]
        database = settings[\.database]
        databaseMark = settings.databaseMark()
        databaseConnections = settings[\.databaseConnections]
        databaseTimeout = settings[\.databaseTimeout]
        workers = settings[\.workers]
        publicAddress = settings.publicAddress()
        logLevel = settings[\.logLevel]
        tokenIssuer = settings[\.tokenIssuer]
        tokenAudience = settings[\.tokenAudience]
        apple = settings.appleRules
        appleReplayGrace = settings[\.replayGrace]
        appleKeysURL = settings[\.appleKeysURL]
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
        policy = settings.policy(
            developmentSecretHash: settings.developmentSecretHash(), at: publicAddress, web: web,
            services: settings.serviceAccess())
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

package enum AppEnvironment: String, Sendable, CaseIterable {
    case production
    case development

    /// Reads `APP_ENV`. White space around the value is ignored, and a blank value is production.
    init?(setting text: String) {
        let text = text.trimmingWhiteSpace
        self.init(rawValue: text.isEmpty ? Self.production.rawValue : text)
    }

    /// Whether a value of `NODE_ENV` means production, in any case and with white space around it.
    package static func isProduction(_ text: String?) -> Bool {
        text?.trimmingWhiteSpace.lowercased() == production.rawValue
    }
}

extension SettingReader {
    var appleRules: TokenRules {
        .apple(
            issuers: self[\.appleIssuers], audiences: self[\.appleBundleIDs] ?? [], nonce: self[\.appleNonce])
    }

    fileprivate func policy(
        developmentSecretHash: [UInt8]?, at publicAddress: PublicAddressSetting, web: WebPolicy,
        services: ServiceAccess
    ) -> Policy {
        let (sensitiveMaxAge, stale) = (self[\.sensitiveMaxAge], self[\.phoneStaleAfter])
        return Policy(
            accessTokenLifetime: self[\.accessTokenLifetime],
            refresh: RefreshPolicy(
                tokenLifetime: self[\.refreshTokenLifetime], sessionMaximumAge: self[\.sessionMaximumAge],
                reuseGrace: self[\.reuseGrace], lostAnswer: self[\.lostAnswer]),
            devSecretHash: developmentSecretHash, defaultClientID: self[\.appleBundleIDs]?.first ?? "",
            auditRetention: self[\.auditRetention], sensitiveMaxAge: sensitiveMaxAge == .zero ? nil : sensitiveMaxAge,
            sessionsPerUser: self[\.sessionsPerUser],
            apple: ApplePolicy(onConsentRevoked: self[\.consentPolicy]),
            dpop: DPoPPolicy(
                atGuard: self[\.dpopGuard], requiresNonce: self[\.dpopNonce] == .required,
                origin: publicAddress.originOfProofs(web).flatMap { ProofURL.Origin($0) }),
            codes: codePolicy,
            phone: PhonePolicy(binding: self[\.phoneBinding], staleAfter: stale == .zero ? nil : stale), web: web,
            services: services, tellsOwners: self[\.accountNotices] == .on && isSet(\.smtpURL))
    }

    private var codePolicy: CodePolicy {
        CodePolicy(
            limits: CodeLimits(
                perAddress: self[\.codesPerAddress], perAddressAndNetwork: self[\.codesPerAddressAndNetwork],
                perClient: self[\.codesPerClient], perNetwork: self[\.codesPerNetwork],
                perPrefix: self[\.codesPerPrefix], perPrefixAndNetwork: self[\.codesPerPrefixAndNetwork],
                perCountry: self[\.codesPerCountry],
                perChannel: self[\.codesPerChannel], leastUse: self[\.codesLeastUsed]),
            countries: self[\.phoneCountries] ?? [], kinds: self[\.phoneKinds],
            defaultCountry: self[\.phoneDefaultCountry],
            testCodes: self[\.testCodes] ?? [:])
    }

    /// Nil if the development login is disabled: in production its secret is not used, and may have any value.
    fileprivate mutating func developmentSecretHash() -> [UInt8]? {
        guard let secret = self[\.developmentSecret] else { return nil }
        let name = Settings.table.developmentSecret.name
        guard self[\.environment] == .development, !AppEnvironment.isProduction(self[\.nodeEnvironment]) else {
            warn("\(name) is ignored: this is production")
            return nil
        }
        // A developer may type it.
        let fault = secret.fault(atLeast: Configuration.minimumDevelopmentSecretBytes, isWeak: \.isRepetitive)
        guard let fault else {
            return SHA256.hash(secret.bytes)
        }
        addFault(name, fault)
        return nil
    }

    /// `PUBLIC_URL`, or else the file that `gatehouse-nginx` writes.
    mutating func publicAddress() -> PublicAddressSetting {
        if let setting = self[\.publicURL] { return setting }
        if isSet(\.publicURL) { return .off }
        let row = Settings.table.publicURL
        guard let (path, text) = fileBesideConfiguration(for: row.name) else { return .unknown }
        if let setting = PublicAddressSetting(text) { return setting }
        // A warning only: the server can work without it.
        warn("\(path) is ignored, because it does not hold \(row.format): run gatehouse-nginx, or set \(row.name)")
        return .unknown
    }
}

extension String {
    /// Without white space at either end.
    var trimmingWhiteSpace: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }
}
