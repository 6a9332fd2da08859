extension Configuration {
    /// The database alone, for commands that need nothing else.
    package static func database(from source: SettingSource) throws(SettingFaults) -> DatabaseAddress {
        try source.demandReadableFile()
        var settings = SettingReader(source)
        let address = settings.database()
        guard settings.faults.isEmpty else { throw SettingFaults(faults: settings.faults) }
        return address
    }
}

extension SettingReader {
    mutating func database() -> DatabaseAddress {
        parsed(
            "DATABASE_URL", default: .sqlite(path: "/var/lib/gatehouse/gatehouse.db"),
            expecting: "sqlite:<path>", DatabaseAddress.init)
    }
}
