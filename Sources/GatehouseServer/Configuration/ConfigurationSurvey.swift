import AppleID

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
    package let appleKeysURL: String?
    package let audiences: [String]?
    package let issuers: [String]?
    /// Nil also where nothing is set; see `hasCredentials`.
    package let appleServer: AppleServerSettings?
    package let hasCredentials: Bool

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
        environment = source.reading { $0.oneOf("APP_ENV", default: .production) }
        listen = source.reading { $0.listen() }
        database = source.reading { $0.database() }
        workers = source.reading { $0.workers() }
        appleKeysURL = source.reading { $0.appleKeysURL() }
        let policy = source.reading { $0.identityTokenPolicy() }
        (audiences, issuers) = (policy?.audiences, policy?.issuers)
        let server = source.reading { $0.appleServer() }
        appleServer = server?.settings
        hasCredentials = server.map(\.isSet) ?? true
    }
}

extension SettingSource {
    /// Some settings alone; nil where any of them is at fault, or may be.
    fileprivate func reading<Value>(_ read: (inout SettingReader) -> Value) -> Value? {
        if let file, !file.isReadable { return nil }
        var settings = SettingReader(self)
        let before = settings.faults.count
        let value = read(&settings)
        return settings.faults.count == before && !settings.hasMetUnreadable ? value : nil
    }
}
