package import EventDelivery
import FileSystem
package import Gatehouse
package import GatehouseTokens
package import IdentityProviders

/// Parts of the configuration, for commands that need no other settings.
extension Configuration {
    package static func database(from source: SettingSource) throws(SettingFaults) -> DatabaseAddress {
        let row = Settings.table.process.database
        let (address, isSet) = try source.read([row]) { ($0[row], $0.isSet(row)) }
        // An unknown name may have been meant for it.
        if !isSet, let path = address.path, File.isMissing(path) {
            let unknown = (source.file?.faults ?? []).filter { $0.unknown != nil }
            guard unknown.isEmpty else { throw SettingFaults(faults: unknown) }
        }
        // The default would be the wrong database if the setting is in a file that this user cannot read.
        if source.mayBeInClosedFolder(Settings.table.process.database.name), let path = address.path,
            File.isMissing(path), let fault = source.closedFolder
        {
            throw SettingFaults(faults: [fault])
        }
        return address
    }

    /// The server's address. Faults of other settings and of other lines of the configuration file do not matter.
    package static func listen(from source: SettingSource) throws(SettingFaults) -> ListenAddress {
        try source.readAlone(\.process.listen)
    }

    /// How long a token may be used after it was issued. A refresh token may be repeated after its own expiry, until
    /// its successor expires.
    package static func tokenLifetimes(
        from source: SettingSource
    ) throws(SettingFaults) -> (access: Duration, refresh: Duration) {
        let table = Settings.table
        return try source.read([
            table.sessions.accessTokenLifetime, table.sessions.refreshTokenLifetime, table.sessions.sessionMaximumAge,
        ]) {
            (
                $0[\.sessions.accessTokenLifetime],
                min($0[\.sessions.refreshTokenLifetime] * 2, $0[\.sessions.sessionMaximumAge])
            )
        }
    }

    /// The keys of a `…_PREVIOUS` setting, without validating them.
    package static func previousKeys(
        of name: String, _ form: KeyList.Form, from source: SettingSource
    ) throws(SettingFaults) -> KeyList {
        try source.read([]) { _ in }
        do throws(SettingFault) { return KeyList(parsing: try source.value(of: name) ?? "", form) } catch {
            throw SettingFaults(faults: [error])
        }
    }

    /// Nil if `DATA_KEY` is not set.
    package static func vault(from source: SettingSource) throws(SettingFaults) -> DataVault? {
        try source.read(Settings.table.dataKeyRows) { $0.vault(isRequired: false).vault }
    }

    /// Nil if `JWT_REFRESH_SECRET` is not set.
    package static func refreshKeys(from source: SettingSource) throws(SettingFaults) -> KeyRing? {
        try source.read(Settings.table.refreshSecretRows) { $0.refreshKeys() }
    }

    /// Nil if `JWT_REFRESH_SECRET` is not set or not usable, or if this user cannot read it.
    package static func refreshKeysIfReadable(from source: SettingSource) -> KeyRing? {
        source.readIfSound(Settings.table.refreshSecretRows) { $0.refreshKeys() } ?? nil
    }

    /// The providers that have a file each. Faults of other settings do not matter.
    package static func providers(from source: SettingSource) throws(SettingFaults) -> [ConfiguredProvider] {
        try things(from: source, [Settings.table.apple.providersFolder]) { $0.providers() }
    }

    /// The receivers of events. Faults of other settings do not matter.
    package static func receivers(from source: SettingSource) throws(SettingFaults) -> [EventReceiver] {
        try things(from: source, Settings.table.receiverRows) { $0.receivers() }
    }

    private static func things<Thing>(
        from source: SettingSource, _ rows: [any SettingRow], _ read: (inout SettingReader<Settings>) -> [Thing]
    ) throws(SettingFaults) -> [Thing] {
        try source.requireReadableFile()
        let (things, mayMissValues) = try source.read(rows) { (read(&$0), $0.mayMissValues) }
        // A secret may be in a folder that this user cannot open.
        if mayMissValues, let fault = source.closedFolder { throw SettingFaults(faults: [fault]) }
        return things
    }

    /// How codes are sent. Faults of other settings do not matter.
    package static func delivery(from source: SettingSource) throws(SettingFaults) -> ConfiguredDelivery? {
        try source.requireReadableFile()
        if let fault = source.closedFolder { throw SettingFaults(faults: [fault]) }
        return try source.read(Settings.table.deliveryRows) { $0.delivery() }
    }

    /// What a transfer of the app needs: the team's credentials, and the apps. Faults of other settings do not matter.
    package static func appleTransfer(
        from source: SettingSource
    ) throws(SettingFaults) -> (server: AppleServerSettings, clientIDs: [String]) {
        try source.requireReadableFile()
        let table = Settings.table
        let (server, clientIDs) = try source.read(table.appleServerRows + [table.apple.bundleIDs]) { settings in
            if !settings.isSet(\.apple.bundleIDs) { settings.addMissing(table.apple.bundleIDs) }
            let (isSet, server) = settings.appleServer()
            if !isSet {
                settings.addMissing(
                    table.apple.teamID, "set it with APPLE_KEY_ID and APPLE_PRIVATE_KEY, the credentials at Apple")
            }
            return (server, settings[\.apple.bundleIDs] ?? [])
        }
        guard let server else { throw SettingFaults(faults: [source.closedFolder].compactMap { $0 }) }
        return (server, clientIDs)
    }

    /// Which identity tokens are accepted. Faults of other settings do not matter.
    package static func identityTokens(from source: SettingSource) throws(SettingFaults) -> TokenRules {
        try source.requireReadableFile()
        let table = Settings.table
        return try source.read([table.apple.bundleIDs, table.apple.issuers, table.apple.nonce]) { settings in
            if !settings.isSet(\.apple.bundleIDs) { settings.addMissing(table.apple.bundleIDs) }
            return settings.appleRules
        }
    }

    /// Where Apple publishes its keys. Faults of other settings do not matter.
    package static func appleKeysURL(from source: SettingSource) throws(SettingFaults) -> String {
        try source.readAlone(\.apple.keysURL)
    }
}

/// A configuration that may have faults, for `gatehouse check`.
package struct ConfigurationSurvey: Sendable {
    package let source: SettingSource
    package let faults: [SettingFault]
    /// The lines with unknown names, which are faults unless the database knows them from another version.
    package let unknown: [SettingFault]
    package let warnings: [String]
    /// This value and the ones below are nil if their settings have a fault.
    package let environment: AppEnvironment?
    package let listen: ListenAddress?
    package let database: DatabaseAddress?
    package let databaseMark: DatabaseMark?
    package let databaseConnections: Int?
    package let workers: Int?
    package let publicAddress: PublicAddressSetting
    package let appleAddresses: [(name: String, url: String)]
    package let appleKeysURL: String?
    package let audiences: [String]?
    package let issuers: [String]?
    /// Nil also if nothing is set; see `hasCredentials`.
    package let appleServer: AppleServerSettings?
    package let hasCredentials: Bool
    /// Where browsers may be sent, and where they come back to.
    package let web: WebPolicy?
    /// Nil also if browsers do not sign in with Apple.
    package let appleWebClient: AppleWebClient?
    /// The inner optional is nil if DATA_KEY is not set.
    package let vault: DataVault??
    /// The inner optional is nil if JWT_REFRESH_SECRET is not set.
    package let refreshKeys: KeyRing??
    package let providers: [ConfiguredProvider]?
    package let delivery: ConfiguredDelivery?
    package let testCodes: [CodeAddress: CodePolicy.TestCode]?
    package let requiresPhone: Bool
    package let services: ServiceAccess?
    package let attributes: AttributePolicy?
    package let receivers: [EventReceiver]?
    /// Nil also if passkeys are off.
    package let passkeys: PublishedPasskeys?
    /// The files that the providers are read from.
    package let providerFiles: FolderFiles
    /// The files that the receivers are read from.
    package let receiverFiles: FolderFiles

    package init(of source: SettingSource) {
        let table = Settings.table
        self.source = source
        do throws(SettingFaults) {
            warnings = try Configuration(from: source.passing(.none)).warnings
            (faults, unknown) = ([], [])
        } catch {
            unknown = error.faults.filter { $0.unknown != nil }
            // A closed folder is not a fault: another user may be able to open it.
            faults = error.faults.filter { $0 != source.closedFolder && $0.unknown == nil }
            warnings = (try? Configuration(from: source.passing(.any)).warnings) ?? []
        }
        environment = source.readIfSound(\.process.environment)
        listen = source.readIfSound(\.process.listen)
        database = source.readIfSound(\.process.database) ?? (try? Configuration.database(from: source))
        databaseMark = source.readIfSound([table.process.databaseMark]) { $0.databaseMark() } ?? nil
        databaseConnections = source.readIfSound(\.process.databaseConnections)
        workers = source.readIfSound(\.process.workers)
        attributes = try? Configuration.attributePolicy(from: source)
        publicAddress = source.readIfSound([table.process.publicURL]) { $0.publicAddress() } ?? .unknown
        appleKeysURL = source.readIfSound(\.apple.keysURL)
        let addresses: [KeyPath<Settings, Setting<String>>] = [
            \.apple.keysURL, \.apple.tokenURL, \.apple.revokeURL, \.apple.authorizationURL, \.apple.migrationURL,
        ]
        appleAddresses =
            source.readIfSound(addresses.map { table[keyPath: $0] }) { settings in
                addresses.map { (name: table[keyPath: $0].name, url: settings[$0]) }
            } ?? []
        let policy = source.readIfSound([table.apple.issuers, table.apple.bundleIDs, table.apple.nonce]) {
            (issuers: $0[\.apple.issuers], audiences: $0[\.apple.bundleIDs])
        }
        (audiences, issuers) = (policy?.audiences, policy?.issuers)
        let server = source.readIfSound(table.appleServerRows) { $0.appleServer() }
        appleServer = server?.settings
        hasCredentials = server.map(\.isSet) ?? true
        let web = source.readIfSound(table.webRows) { settings in
            let policy = settings.webPolicy(at: settings.publicAddress())
            return (policy: policy, apple: settings.appleWebClient(by: policy))
        }
        (self.web, appleWebClient) = (web?.policy, web?.apple)
        vault = source.readIfSound(table.dataKeyRows) { $0.vault(isRequired: false).vault }
        refreshKeys = source.readIfSound(table.refreshSecretRows) { $0.refreshKeys() }
        providers = try? Configuration.providers(from: source)
        delivery = source.readIfSound(table.deliveryRows) { $0.delivery() } ?? nil
        testCodes = source.readIfSound([table.codes.testCodes]) { $0[\.codes.testCodes] ?? [:] }
        requiresPhone = source.readIfSound(\.codes.phoneBinding) == .required
        services = source.readIfSound([table.services.tokens, table.services.users, table.process.listen]) {
            $0.serviceAccess()
        }
        receivers = try? Configuration.receivers(from: source)
        passkeys = source.readIfSound(table.passkeyRows) { $0.passkeys()?.published } ?? nil
        providerFiles = FolderFiles(of: .providers, for: source)
        receiverFiles = FolderFiles(of: .receivers(), for: source)
    }
}
