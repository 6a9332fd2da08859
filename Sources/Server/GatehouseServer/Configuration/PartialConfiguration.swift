package import EventDelivery
import FileSystem
import Gatehouse
package import GatehouseTokens
package import IdentityProviders

/// Parts of the configuration, for commands that need no other settings.
extension Configuration {
    package static func database(from source: SettingSource) throws(SettingFaults) -> DatabaseAddress {
        let row = Settings.table.process.database
        let (address, isSet) = try source.read([row]) { ($0[row], $0.isSet(row)) }
        // An unknown name may have been meant for it.
        if !isSet, let path = address.path, File.isMissing(path) {
            let unknown = (source.file?.faults ?? []).filter { $0.unknown != nil }
            guard unknown.isEmpty else { throw SettingFaults(faults: unknown) }
        }
        // The default would be the wrong database if the setting is in a file that this user cannot read.
        if source.mayBeInClosedFolder(Settings.table.process.database.name), let path = address.path,
            File.isMissing(path), let fault = source.closedFolder
        {
            throw SettingFaults(faults: [fault])
        }
        return address
    }

    /// The server's address. Faults of other settings and of other lines of the configuration file do not matter.
    package static func listen(from source: SettingSource) throws(SettingFaults) -> ListenAddress {
        try source.readAlone(\.process.listen)
    }

    /// How long a token may be used after it was issued. A refresh token may be repeated after its own expiry, until
    /// its successor expires.
    package static func tokenLifetimes(
        from source: SettingSource
    ) throws(SettingFaults) -> (access: Duration, refresh: Duration) {
        let table = Settings.table
        return try source.read([
            table.sessions.accessTokenLifetime, table.sessions.refreshTokenLifetime, table.sessions.sessionMaximumAge,
        ]) {
            (
                $0[\.sessions.accessTokenLifetime],
                min($0[\.sessions.refreshTokenLifetime] * 2, $0[\.sessions.sessionMaximumAge])
            )
        }
    }

    /// The keys of a `…_PREVIOUS` setting, without validating them.
    package static func previousKeys(
        of name: String, _ form: KeyList.Form, from source: SettingSource
    ) throws(SettingFaults) -> KeyList {
        try source.read([]) { _ in }
        do throws(SettingFault) { return KeyList(parsing: try source.value(of: name) ?? "", form) } catch {
            throw SettingFaults(faults: [error])
        }
    }

    /// Nil if `DATA_KEY` is not set.
    package static func vault(from source: SettingSource) throws(SettingFaults) -> DataVault? {
        try source.read(Settings.table.dataKeyRows) { $0.vault(isRequired: false).vault }
    }

    /// Nil if `JWT_REFRESH_SECRET` is not set.
    package static func refreshKeys(from source: SettingSource) throws(SettingFaults) -> KeyRing? {
        try source.read(Settings.table.refreshSecretRows) { $0.refreshKeys() }
    }

    /// Nil if `JWT_REFRESH_SECRET` is not set or not usable, or if this user cannot read it.
    package static func refreshKeysIfReadable(from source: SettingSource) -> KeyRing? {
        source.readIfSound(Settings.table.refreshSecretRows) { $0.refreshKeys() } ?? nil
    }

    /// The providers that have a file each. Faults of other settings do not matter.
    package static func providers(from source: SettingSource) throws(SettingFaults) -> [ConfiguredProvider] {
        try things(from: source, [Settings.table.apple.providersFolder]) { $0.providers() }
    }

    /// The receivers of events. Faults of other settings do not matter.
    package static func receivers(from source: SettingSource) throws(SettingFaults) -> [EventReceiver] {
        try things(from: source, Settings.table.receiverRows) { $0.receivers() }
    }

    private static func things<Thing>(
        from source: SettingSource, _ rows: [any SettingRow], _ read: (inout SettingReader<Settings>) -> [Thing]
    ) throws(SettingFaults) -> [Thing] {
        try source.requireReadableFile()
        let (things, mayMissValues) = try source.read(rows) { (read(&$0), $0.mayMissValues) }
        // A secret may be in a folder that this user cannot open.
        if mayMissValues, let fault = source.closedFolder { throw SettingFaults(faults: [fault]) }
        return things
    }

    /// How codes are sent. Faults of other settings do not matter.
    package static func delivery(from source: SettingSource) throws(SettingFaults) -> ConfiguredDelivery? {
        try source.requireReadableFile()
        if let fault = source.closedFolder { throw SettingFaults(faults: [fault]) }
        return try source.read(Settings.table.deliveryRows) { $0.delivery() }
    }

    /// What a transfer of the app needs: the team's credentials, and the apps. Faults of other settings do not matter.
    package static func appleTransfer(
        from source: SettingSource
    ) throws(SettingFaults) -> (server: AppleServerSettings, clientIDs: [String]) {
        try source.requireReadableFile()
        let table = Settings.table
        let (server, clientIDs) = try source.read(table.appleServerRows + [table.apple.bundleIDs]) { settings in
            if !settings.isSet(\.apple.bundleIDs) { settings.addMissing(table.apple.bundleIDs) }
            let (isSet, server) = settings.appleServer()
            if !isSet {
                settings.addMissing(
                    table.apple.teamID, "set it with APPLE_KEY_ID and APPLE_PRIVATE_KEY, the credentials at Apple")
            }
            return (server, settings[\.apple.bundleIDs] ?? [])
        }
        guard let server else { throw SettingFaults(faults: [source.closedFolder].compactMap { $0 }) }
        return (server, clientIDs)
    }

    /// Which identity tokens are accepted. Faults of other settings do not matter.
    package static func identityTokens(from source: SettingSource) throws(SettingFaults) -> TokenRules {
        try source.requireReadableFile()
        let table = Settings.table
        return try source.read([table.apple.bundleIDs, table.apple.issuers, table.apple.nonce]) { settings in
            if !settings.isSet(\.apple.bundleIDs) { settings.addMissing(table.apple.bundleIDs) }
            return settings.appleRules
        }
    }

    /// Where Apple publishes its keys. Faults of other settings do not matter.
    package static func appleKeysURL(from source: SettingSource) throws(SettingFaults) -> String {
        try source.readAlone(\.apple.keysURL)
    }
}
