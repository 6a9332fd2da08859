import FileSystem
import OpenSSL

/// Reads settings in one loop over the table, and collects every fault instead of stopping at the first.
///
/// A setting whose text cannot be parsed gets its default value, so that rules for several settings are checked as
/// well. A caller must not use the values if there are faults.
struct SettingReader {
    /// Warnings about values that are allowed but are probably mistakes.
    private(set) var warnings: [String]
    /// The text of each setting, for a comparison with a later reading.
    private(set) var digests = SettingDigests()
    /// Whether the value of a setting may be in a place that could not be read.
    private(set) var mayMissValues = false

    private let source: SettingSource
    private var values: [String: any Sendable] = [:]
    private var namesSet: Set<String> = []
    private var found: [SettingFault]
    /// The faults of the files in folders.
    private var foundInFolders: [SettingFault] = []

    /// - Parameter rows: the settings to read. Access to any other setting traps.
    init(_ source: SettingSource, _ rows: [any SettingRow] = Settings.all) {
        self.source = source
        found = source.file?.faults ?? []
        warnings = source.file?.warnings ?? []
        for row in rows { read(row) }
    }

    private mutating func read(_ row: any SettingRow) {
        let name = row.name
        let isHidden = source.mayBeInClosedFolder(name)
        let hasFaultyLine = source.hasFaultyLine(for: name)
        mayMissValues = mayMissValues || isHidden || hasFaultyLine
        var text: String?
        var messages: [String] = []
        do throws(SettingFault) {
            text = try source.value(of: name)
            digests.add(name, text)
        } catch {
            found.append(error)
        }
        if text != nil || hasFaultyLine || found.last?.name == name { namesSet.insert(name) }
        values[name] = row.value(of: text, faults: &messages)
        for message in messages { found.append(SettingFault(name, message, in: source.path(of: name))) }
    }

    subscript<Value>(_ row: KeyPath<Settings, Setting<Value>>) -> Value {
        let name = Settings.table[keyPath: row].name
        guard let stored = values[name], let value = stored as? Value else {
            preconditionFailure("\(name) was not read")
        }
        return value
    }

    /// Whether the operator has set it, even if its value is invalid or cannot be read.
    func isSet<Value>(_ row: KeyPath<Settings, Setting<Value>>) -> Bool {
        namesSet.contains(Settings.table[keyPath: row].name)
    }

    /// In the order of the table, after those of the configuration file and before those of the files in folders.
    var faults: [SettingFault] {
        let names = Settings.all.map(\.name)
        func position(_ fault: SettingFault) -> Int { names.firstIndex(of: fault.name) ?? -1 }
        return found.sorted { position($0) < position($1) } + foundInFolders
    }

    mutating func addFault(_ name: String, _ message: String) { found.append(SettingFault(name, message)) }

    /// Adds the fault that a setting is missing, unless it may be in a folder that this user cannot open.
    mutating func addMissing(_ row: some SettingRow, _ message: String? = nil) {
        guard !source.mayBeInClosedFolder(row.name) else { return }
        addFault(row.name, "is missing: " + (message ?? "set it to \(row.format)") + adviceForMissingSecret(row))
    }

    /// No start makes a secret: a new one in place of one that was lost would sign every user out.
    private func adviceForMissingSecret(_ row: some SettingRow) -> String {
        guard Settings.table.generatedSecrets.contains(row.name), let file = source.operatorsFile(of: row.name) else {
            return ""
        }
        return "; \(file) does not exist or is empty: put it back from a backup, or if there never was one: "
            + "gatehouse keys generate --alg HS256 --out \(file)"
    }

    /// Adds a fault for each required setting that is not set.
    mutating func addMissing() {
        for row in Settings.all where row.defaultValue == .required && !namesSet.contains(row.name) { addMissing(row) }
    }

    /// The path of a file beside the configuration file that has the name of a setting in lower case.
    func pathBesideConfiguration(for name: String) -> String? {
        source.file.map { File.folder(of: $0.path) + "/" + name.lowercased() }
    }

    mutating func warn(_ message: String) { warnings.append(message) }

    /// Reads a folder with a file for each thing of a kind. Those with a fault are left out.
    mutating func read<Item>(
        _ kind: SettingsFolder.Kind, by read: (SettingsFolder) -> FolderReading<Item>
    ) -> [Item] {
        let reading = read(SettingsFolder(kind, at: self[kind.setting], beside: source))
        foundInFolders += reading.faults
        mayMissValues = mayMissValues || reading.mayMissValues
        warnings += reading.warnings
        digests.merge(reading.digests)
        return reading.items
    }

    /// The file beside the configuration file that has the name of a setting in lower case.
    mutating func fileBesideConfiguration(for name: String) -> (path: String, text: String)? {
        guard let file = source.fileBesideConfiguration(for: name) else { return nil }
        digests.add(name, file.text)
        return file
    }
}

extension SettingSource {
    /// Throws if the configuration file cannot be read: any setting could be in it.
    func requireReadableFile() throws(SettingFaults) {
        if let file, !file.isReadable { throw SettingFaults(faults: file.faults) }
    }

    /// Reads some settings, for commands that need no others. Throws if one of them or the
    /// configuration file has a fault.
    func read<Value>(
        _ rows: [any SettingRow], _ value: (inout SettingReader) -> Value
    ) throws(SettingFaults) -> Value {
        var settings = SettingReader(self, rows)
        let value = value(&settings)
        guard settings.faults.isEmpty else { throw SettingFaults(faults: settings.faults) }
        return value
    }

    /// Reads one setting, whatever faults others have. The configuration file may be unreadable if the environment,
    /// which takes precedence, has the setting.
    func readAlone<Value>(_ row: KeyPath<Settings, Setting<Value>>) throws(SettingFaults) -> Value {
        let setting = Settings.table[keyPath: row]
        if !isSetInEnvironment(setting.name) { try requireReadableFile() }
        let settings = SettingReader(self, [setting])
        if hasFaultyLine(for: setting.name) { throw SettingFaults(faults: settings.faults) }
        let faults = settings.faults.filter { $0.name == setting.name }
        guard faults.isEmpty else { throw SettingFaults(faults: faults) }
        return settings[row]
    }

    /// Some settings; nil if one of them has a fault, or may have a value that cannot be read.
    func readIfSound<Value>(_ rows: [any SettingRow], _ value: (inout SettingReader) -> Value) -> Value? {
        if let file, !file.isReadable { return nil }
        var settings = SettingReader(self, rows)
        let value = value(&settings)
        let names = Set(rows.map(\.name))
        return settings.mayMissValues || settings.faults.contains { names.contains($0.name) } ? nil : value
    }

    func readIfSound<Value>(_ row: KeyPath<Settings, Setting<Value>>) -> Value? {
        readIfSound([Settings.table[keyPath: row]]) { $0[row] }
    }
}

/// Hashes of the texts of settings, which show what has changed without keeping secrets in memory.
struct SettingDigests: Sendable, Equatable {
    private var digests: [String: [UInt8]] = [:]

    mutating func add(_ name: String, _ text: String?) {
        digests[name] = text.map { SHA256.hash(Array($0.utf8)) }
    }

    /// Adds digests of settings with other names.
    mutating func merge(_ others: SettingDigests) { digests.merge(others.digests) { $1 } }

    /// The names of the settings whose texts differ.
    func changes(to other: SettingDigests) -> Set<String> {
        Set(digests.keys).union(other.digests.keys).filter { digests[$0] != other.digests[$0] }
    }
}
