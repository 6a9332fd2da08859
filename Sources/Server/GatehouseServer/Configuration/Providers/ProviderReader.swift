import Gatehouse

/// Reads the file of one provider, and collects every fault. The values must not be used if there are faults.
struct ProviderReader {
    let name: Provider
    private(set) var kind: ProviderKind?
    private(set) var faults: [SettingFault]
    private(set) var digests = SettingDigests()
    /// Whether a secret may be in a folder that this user cannot open.
    private(set) var mayMissValues = false

    private let file: ConfigurationFile
    private let source: SettingSource
    /// The provider in the names of changed settings, such as `providers.d/google`.
    private let label: String
    private var values: [String: any Sendable] = [:]
    private var namesSet: Set<String> = []

    init(_ file: ConfigurationFile, of name: Provider, labelled label: String, beside server: SettingSource) {
        self.name = name
        self.file = file
        self.label = label
        faults = file.faults
        source = SettingSource(ofProvider: name.lowercaseName, in: file, beside: server)
        guard file.isReadable else { return }
        kind = read(ProviderSettings.table.kind, or: nil, isRequired: true) as? ProviderKind
        if let kind { readSettings(of: kind) } else { readSettingsOfUnknownKind() }
    }

    private mutating func readSettings(of kind: ProviderKind) {
        for setting in kind.settings.dropFirst() {
            let isRequired = setting.defaultValue == .required
            values[setting.row.name] = read(setting.row, or: setting.defaultText, isRequired: isRequired)
        }
        for row in ProviderSettings.all where !kind.has(row) && file.sets(row.name) {
            addFault(row.name, "does not belong to \(ProviderSettings.table.kind.name)=\(kind.rawValue)")
        }
        checkWebClient()
    }

    /// The client's id and secret belong together, and the other settings of a browser's login to them.
    private mutating func checkWebClient() {
        let table = ProviderSettings.table
        let (id, secret) = (table.clientID.name, table.clientSecret.name)
        if namesSet.contains(id), !namesSet.contains(secret), !source.mayBeInClosedFolder(secret) {
            addFault(secret, "is required with \(id): set it to \(table.clientSecret.format)")
        }
        guard !namesSet.contains(id) else { return }
        for name in [secret, table.pageURL.name, table.tokenURL.name, table.scopes.name] where namesSet.contains(name) {
            addFault(name, "needs \(id), which is not set")
        }
    }

    /// Any setting may belong to the kind that was meant, so only their own faults are known.
    private mutating func readSettingsOfUnknownKind() {
        for row in ProviderSettings.all.dropFirst() where file.sets(row.name) {
            _ = read(row, or: nil, isRequired: false)
        }
    }

    private mutating func read(_ row: any SettingRow, or defaultText: String?, isRequired: Bool) -> any Sendable {
        var text: String?
        var messages: [String] = []
        do throws(SettingFault) {
            text = try source.value(of: row.name)
            digests.add("\(label): \(row.name)", text)
        } catch {
            messages.append(error.message)
        }
        let isHidden = source.mayBeInClosedFolder(row.name)
        mayMissValues = mayMissValues || isHidden
        if text != nil || !messages.isEmpty || source.hasFaultyLine(for: row.name) { namesSet.insert(row.name) }
        if isRequired, text == nil, messages.isEmpty, !isHidden, !source.hasFaultyLine(for: row.name) {
            messages.append("is required: set it to \(row.format)")
        }
        let value = row.value(of: text ?? defaultText, faults: &messages)
        for message in messages { addFault(row.name, message) }
        return value
    }

    private mutating func addFault(_ name: String, _ message: String) {
        faults.append(SettingFault("\(file.place): \(name)", message))
    }

    subscript<Value>(_ row: KeyPath<ProviderSettings, Setting<Value>>) -> Value {
        let name = ProviderSettings.table[keyPath: row].name
        guard let stored = values[name], let value = stored as? Value else {
            preconditionFailure("\(name) was not read")
        }
        return value
    }
}

extension ConfigurationFile {
    /// Whether a line sets it, as a value or as the name of a file.
    fileprivate func sets(_ name: String) -> Bool {
        [name, name + Settings.fileSuffix].contains { !(values[$0] ?? "").isEmpty || namesOfFaultyLines.contains($0) }
    }
}
