extension Configuration {
    /// The database alone, for commands that need nothing else.
    package static func database(from source: SettingSource) throws(SettingFaults) -> DatabaseAddress {
        try source.demand { $0.database() }
    }
}

extension SettingReader {
    mutating func database() -> DatabaseAddress {
        parsed(
            "DATABASE_URL", default: .sqlite(path: "/var/lib/gatehouse/gatehouse.db"),
            expecting: "sqlite:<path>", DatabaseAddress.init)
    }
}
