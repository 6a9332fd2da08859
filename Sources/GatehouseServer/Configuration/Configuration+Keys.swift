package import GatehouseTokens

/// The settings of keys, for commands that replace keys and need nothing else.
extension Configuration {
    /// How long tokens live that a key has signed.
    package static func tokenLifetimes(
        from source: SettingSource
    ) throws(SettingFaults) -> (access: Duration, refresh: Duration) {
        try source.demand { ($0.accessTokenLifetime(), $0.refreshTokenLifetime()) }
    }

    /// What a `…_PREVIOUS` setting holds, wherever it stands.
    package static func previousKeys(
        of name: String, _ form: KeyList.Form, from source: SettingSource
    ) throws(SettingFaults) -> KeyList {
        KeyList(parsing: try source.demand { $0.text(name) } ?? "", form)
    }

    /// What DATA_KEY seals with; nil where it is not set.
    package static func vault(from source: SettingSource) throws(SettingFaults) -> DataVault? {
        try source.demand { $0.vault(isRequired: false).vault }
    }

    /// What signs refresh tokens; nil where it is not set.
    package static func refreshKeys(from source: SettingSource) throws(SettingFaults) -> KeyRing? {
        try source.demand { $0.refreshKeys() }
    }
}

extension SettingReader {
    mutating func refreshKeys() -> KeyRing? { ring(secrets("JWT_REFRESH_SECRET", isRequired: false).map(\.key)) }
}
