/// The settings that the files of a folder may have.
protocol SettingsTable: Sendable {
    static var table: Self { get }
}

/// Reads settings of one file in a folder, and collects every fault. The values must not be used if there are faults.
struct SettingsFileReader<Table: SettingsTable> {
    private(set) var faults: [SettingFault]
    private(set) var digests = SettingDigests()
    /// Whether a secret may be in a folder that this user cannot open.
    private(set) var mayMissValues = false

    private let file: SettingsFile
    private var values: [String: any Sendable] = [:]
    private var namesSet: Set<String> = []

    init(_ file: SettingsFile) {
        self.file = file
        faults = file.content.faults
    }

    /// Whether the file could be read. If not, that is its only fault.
    var isReadable: Bool { file.content.isReadable }

    mutating func read(_ row: any SettingRow, or defaultText: String? = nil, isRequired: Bool) {
        let source = file.source
        var text: String?
        var messages: [String] = []
        var isFaulty = source.hasFaultyLine(for: row.name)
        do throws(SettingFault) {
            text = try source.value(of: row.name)
            digests.add("\(file.label): \(row.name)", text)
        } catch {
            isFaulty = true
            addFault(row.name, error.message, in: error.file)
        }
        let isHidden = mayBeHidden(row.name)
        mayMissValues = mayMissValues || isHidden
        if text != nil || isFaulty { namesSet.insert(row.name) }
        if isRequired, text == nil, !isFaulty, !isHidden {
            messages.append("is required: set it to \(row.format)")
        }
        values[row.name] = row.value(of: text ?? defaultText, faults: &messages)
        for message in messages { addFault(row.name, message, in: source.path(of: row.name)) }
    }

    /// Whether the operator has set it, even if its value is invalid or cannot be read.
    func isSet(_ row: some SettingRow) -> Bool { namesSet.contains(row.name) }

    /// Whether a line of the file sets it, as a value or as the name of a file.
    func hasLine(for row: some SettingRow) -> Bool {
        let content = file.content
        return [row.name, row.name + Settings.fileSuffix].contains {
            !(content.values[$0] ?? "").isEmpty || content.namesOfFaultyLines.contains($0)
        }
    }

    /// Whether it is a secret that may be in a folder that this user cannot open.
    func mayBeHidden(_ name: String) -> Bool { file.source.mayBeInClosedFolder(name) }

    mutating func addFault(_ name: String, _ message: String, in other: String? = nil) {
        faults.append(SettingFault("\(file.content.place): \(name)", message, in: other ?? file.content.path))
    }

    subscript<Value>(_ row: KeyPath<Table, Setting<Value>>) -> Value {
        let name = Table.table[keyPath: row].name
        guard let stored = values[name], let value = stored as? Value else {
            preconditionFailure("\(name) was not read")
        }
        return value
    }
}
