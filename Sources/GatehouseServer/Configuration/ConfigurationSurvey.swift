import AppleID
package import GatehouseTokens

/// What can be read of the settings where not all of them are good: for whoever looks for what is wrong.
package struct ConfigurationSurvey: Sendable {
    package let source: SettingSource
    package let faults: [SettingFault]
    package let warnings: [String]
    /// Each is nil where something is wrong with it.
    package let environment: AppEnvironment?
    package let listen: ListenAddress?
    package let database: DatabaseAddress?
    package let workers: Int?
    package let publicAddress: PublicAddressSetting
    package let appleAddresses: [(name: String, url: String)]
    package let appleKeysURL: String?
    package let audiences: [String]?
    package let issuers: [String]?
    /// Nil also where nothing is set; see `hasCredentials`.
    package let appleServer: AppleServerSettings?
    package let hasCredentials: Bool
    /// Within, nil where DATA_KEY or JWT_REFRESH_SECRET is not set.
    package let vault: DataVault??
    package let refreshKeys: KeyRing??

    package init(of source: SettingSource) {
        self.source = source
        do throws(SettingFaults) {
            warnings = try Configuration(from: source).warnings
            faults = []
        } catch {
            // What somebody else may look at is no fault of the configuration.
            faults = error.faults.filter { $0 != source.denial }
            warnings = []
        }
        environment = source.survey { $0.environment() }
        listen = source.survey { $0.listen() }
        database = source.survey { $0.database() }
        workers = source.survey { $0.workers() }
        publicAddress = source.survey { $0.publicAddress() } ?? .unknown
        appleKeysURL = source.survey { $0.appleKeysURL() }
        appleAddresses = source.survey { $0.appleAddresses() } ?? []
        let policy = source.survey { $0.identityTokenPolicy() }
        (audiences, issuers) = (policy?.audiences, policy?.issuers)
        let server = source.survey { $0.appleServer() }
        appleServer = server?.settings
        hasCredentials = server.map(\.isSet) ?? true
        vault = source.survey { $0.vault(isRequired: false).vault }
        refreshKeys = source.survey { $0.refreshKeys() }
    }
}
