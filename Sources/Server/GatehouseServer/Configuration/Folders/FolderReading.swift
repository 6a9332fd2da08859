/// What the files of a folder say.
struct FolderReading<Item> {
    private(set) var items: [Item] = []
    private(set) var faults: [SettingFault] = []
    private(set) var warnings: [String] = []
    private(set) var digests = SettingDigests()
    /// Whether a secret may be in a folder that this user cannot open.
    private(set) var mayMissValues = false

    /// - Parameter item: nil if it has faults, or lacks a secret that this user cannot read.
    mutating func add<Table>(_ item: Item?, from reader: SettingsFileReader<Table>) {
        if let item { items.append(item) }
        faults += reader.faults
        digests.merge(reader.digests)
        mayMissValues = mayMissValues || reader.mayMissValues
    }

    mutating func add(faults: [SettingFault]) { self.faults += faults }

    mutating func add(warnings: [String]) { self.warnings += warnings }
}
