import FileSystem
import OpenSSL

/// The settings of one kind of file: the configuration file, or one in a folder.
package protocol SettingsTable: Sendable {
    static var table: Self { get }
}

/// Reads settings, and collects every fault instead of stopping at the first.
///
/// A setting whose text cannot be parsed gets its default value, so that rules for several settings are checked as
/// well. A caller must not use the values if there are faults.
package struct SettingReader<Table: SettingsTable> {
    /// Warnings about values that are allowed but are probably mistakes.
    private(set) var warnings: [String]
    /// The text of each setting, for a comparison with a later reading.
    private(set) var digests = SettingDigests()
    /// Whether the value of a setting may be in a place that could not be read.
    private(set) var mayMissValues = false
    /// In the order in which they were found.
    private(set) var found: [SettingFault]

    private let source: SettingSource
    private var values: [String: any Sendable] = [:]
    private var namesSet: Set<String> = []
    /// The faults of the files in folders.
    private var foundInFolders: [SettingFault] = []

    /// - Parameter rows: the settings to read. Access to any setting that is not read traps.
    init(_ source: SettingSource, _ rows: [any SettingRow]) {
        self.source = source
        found = source.file?.faults ?? []
        warnings = source.file?.warnings ?? []
        for row in rows { read(row) }
    }

    /// - Parameters:
    ///   - defaultText: for a row whose default differs between the files of a folder.
    ///   - isRequired: whether a setting that is missing is a fault here.
    mutating func read(_ row: any SettingRow, or defaultText: String? = nil, isRequired: Bool = false) {
        let name = row.name
        let isHidden = source.mayBeInClosedFolder(name)
        var isFaulty = source.hasFaultyLine(for: name)
        mayMissValues = mayMissValues || isHidden || isFaulty
        var text: String?
        var messages: [String] = []
        do throws(SettingFault) {
            text = try source.value(of: name)
            digests.add(source.scope.label + name, text)
        } catch {
            isFaulty = true
            addFault(name, error.message, in: error.file)
        }
        if text != nil || isFaulty { namesSet.insert(name) }
        if isRequired, text == nil, !isFaulty, !isHidden {
            messages.append("is required: set it to \(row.format)")
        }
        values[name] = row.value(of: text ?? defaultText, faults: &messages)
        for message in messages { addFault(name, message, in: source.path(of: name)) }
    }

    subscript<Value>(_ row: KeyPath<Table, Setting<Value>>) -> Value { self[Table.table[keyPath: row]] }

    subscript<Value>(_ row: Setting<Value>) -> Value {
        guard let stored = values[row.name], let value = stored as? Value else {
            preconditionFailure("\(row.name) was not read")
        }
        return value
    }

    /// Whether the operator has set it, even if its value is invalid or cannot be read.
    func isSet<Value>(_ row: KeyPath<Table, Setting<Value>>) -> Bool { isSet(Table.table[keyPath: row]) }

    func isSet(_ row: some SettingRow) -> Bool { namesSet.contains(row.name) }

    /// Whether a line of the file sets it, as a value or as the name of a file.
    func hasLine(for row: some SettingRow) -> Bool {
        guard let file = source.file else { return false }
        return [row.name, row.name + Settings.fileSuffix].contains {
            !(file.values[$0] ?? "").isEmpty || file.namesOfFaultyLines.contains($0)
        }
    }

    /// Whether it is a secret that may be in a folder that this user cannot open.
    func mayBeHidden(_ row: some SettingRow) -> Bool { source.mayBeInClosedFolder(row.name) }

    /// - Parameter file: the file to correct; nil for the file of the folder, or the configuration file.
    mutating func addFault(_ name: String, _ message: String, in file: String? = nil) {
        let place = source.scope.place
        found.append(SettingFault(place + name, message, in: file ?? (place.isEmpty ? nil : source.file?.path)))
    }

    mutating func warn(_ message: String) { warnings.append(message) }
}

// MARK: - The settings of the server

extension SettingReader<Settings> {
    /// In the order of the table, after those of the configuration file and before those of the files in folders.
    var faults: [SettingFault] {
        let names = Settings.all.map(\.name)
        func position(_ fault: SettingFault) -> Int { names.firstIndex(of: fault.name) ?? -1 }
        return found.sorted { position($0) < position($1) } + foundInFolders
    }

    /// Adds the fault that a setting is missing, unless it may be in a folder that this user cannot open.
    mutating func addMissing(_ row: some SettingRow, _ message: String? = nil) {
        guard !mayBeHidden(row) else { return }
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
        for row in Settings.all where row.defaultValue == .required && !isSet(row) { addMissing(row) }
    }

    /// The path of a file beside the configuration file that has the name of a setting in lower case.
    func pathBesideConfiguration(for name: String) -> String? {
        source.file.map { File.folder(of: $0.path) + "/" + name.lowercased() }
    }

    /// The file beside the configuration file that has the name of a setting in lower case.
    mutating func fileBesideConfiguration(for name: String) -> (path: String, text: String)? {
        guard let file = source.fileBesideConfiguration(for: name) else { return nil }
        digests.add(name, file.text)
        return file
    }

    /// Reads a folder with a file for each thing of a kind.
    ///
    /// - Parameter read: reads one file. The item is nil if the file has faults, or lacks a secret that this user cannot read.
    mutating func read<Other, Item>(
        _ kind: SettingsFolder.Kind,
        _ read: (_ name: String, _ source: SettingSource) -> (settings: SettingReader<Other>, item: Item?)
    ) -> [Item] {
        var items: [Item] = []
        for entry in SettingsFolder(kind, at: self[kind.setting], beside: source).entries {
            switch entry {
            case .file(let name, let source):
                let (settings, item) = read(name, source)
                if let item { items.append(item) }
                foundInFolders += settings.found
                warnings += settings.warnings
                digests.merge(settings.digests)
                mayMissValues = mayMissValues || settings.mayMissValues
            case .wrong(let fault): foundInFolders.append(fault)
            case .ignored(let warning): warn(warning)
            }
        }
        return items
    }
}

extension SettingSource {
    /// Throws if the configuration file cannot be read: any setting could be in it.
    func requireReadableFile() throws(SettingFaults) {
        if let file, !file.isReadable { throw SettingFaults(faults: file.faults) }
    }

    /// Reads some settings, for commands that need no others. Throws if one of them or the
    /// configuration file has a fault, except unknown names that cannot mean one of them.
    func read<Value>(
        _ rows: [any SettingRow], _ value: (inout SettingReader<Settings>) -> Value
    ) throws(SettingFaults) -> Value {
        var settings = SettingReader<Settings>(passing(LaterSettings(besides: rows)), rows)
        let value = value(&settings)
        guard settings.faults.isEmpty else { throw SettingFaults(faults: settings.faults) }
        return value
    }

    /// Reads one setting, whatever faults others have. The configuration file may be unreadable if the environment,
    /// which takes precedence, has the setting.
    func readAlone<Value>(_ row: KeyPath<Settings, Setting<Value>>) throws(SettingFaults) -> Value {
        let setting = Settings.table[keyPath: row]
        if !isSetInEnvironment(setting.name) { try requireReadableFile() }
        let settings = SettingReader<Settings>(self, [setting])
        if hasFaultyLine(for: setting.name) { throw SettingFaults(faults: settings.faults) }
        let faults = settings.faults.filter { $0.name == setting.name }
        guard faults.isEmpty else { throw SettingFaults(faults: faults) }
        return settings[row]
    }

    /// Some settings; nil if one of them has a fault, or may have a value that cannot be read.
    func readIfSound<Value>(_ rows: [any SettingRow], _ value: (inout SettingReader<Settings>) -> Value) -> Value? {
        if let file, !file.isReadable { return nil }
        var settings = SettingReader<Settings>(self, rows)
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
