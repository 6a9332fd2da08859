package import EventDelivery
package import Gatehouse
package import GatehouseTokens
package import IdentityProviders

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
