import Gatehouse

/// Reads the file of one provider.
struct ProviderReader {
    let name: Provider
    private(set) var kind: ProviderKind?
    private(set) var settings: SettingsFileReader<ProviderSettings>

    init(_ file: SettingsFile, of name: Provider) {
        self.name = name
        settings = SettingsFileReader(file)
        guard settings.isReadable else { return }
        settings.read(ProviderSettings.table.kind, isRequired: true)
        kind = settings[\.kind]
        if let kind { readSettings(of: kind) } else { readSettingsOfUnknownKind() }
    }

    private mutating func readSettings(of kind: ProviderKind) {
        for setting in kind.settings.dropFirst() {
            settings.read(setting.row, or: setting.defaultText, isRequired: setting.defaultValue == .required)
        }
        for row in ProviderSettings.all where !kind.has(row) && settings.hasLine(for: row) {
            settings.addFault(row.name, "does not belong to \(ProviderSettings.table.kind.name)=\(kind.rawValue)")
        }
        checkWebClient()
    }

    /// The client's id and secret belong together, and the other settings of a browser's login to them.
    private mutating func checkWebClient() {
        let table = ProviderSettings.table
        let (id, secret) = (table.clientID, table.clientSecret)
        if settings.isSet(id), !settings.isSet(secret), !settings.mayBeHidden(secret.name) {
            settings.addFault(secret.name, "is required with \(id.name): set it to \(secret.format)")
        }
        guard !settings.isSet(id) else { return }
        let others: [any SettingRow] = [secret, table.pageURL, table.tokenURL, table.scopes]
        for row in others where settings.isSet(row) {
            settings.addFault(row.name, "needs \(id.name), which is not set")
        }
    }

    /// Any setting may belong to the kind that was meant, so only their own faults are known.
    private mutating func readSettingsOfUnknownKind() {
        for row in ProviderSettings.all.dropFirst() where settings.hasLine(for: row) {
            settings.read(row, isRequired: false)
        }
    }

    subscript<Value>(_ row: KeyPath<ProviderSettings, Setting<Value>>) -> Value { settings[row] }
}
