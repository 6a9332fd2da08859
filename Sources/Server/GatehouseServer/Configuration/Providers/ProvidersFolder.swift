import Gatehouse

extension SettingsFolder.Kind {
    /// Those of the providers.
    static var providers: Self {
        Self(
            setting: \.providersFolder, usualName: "providers.d", thing: "provider", names: ProviderSettings.names,
            scope: SettingScope.provider,
            refusal: { name in
                guard loginsWithoutFile.contains(name) else { return nil }
                return "has the name of a login that has no file: choose another name"
            })
    }

    /// The logins that are Gatehouse's own, and are configured by other settings.
    private static let loginsWithoutFile: Set = ["apple", "dev", "phone", "email", "passkey"]
}

extension SettingReader {
    /// The providers that have a file each. Those with a fault are left out.
    mutating func providers() -> [ConfiguredProvider] {
        read(.providers) { folder in
            var reading = folder.read { (file, reading: inout FolderReading<ConfiguredProvider>) in
                guard let name = Provider(lowercaseName: file.name) else { return }
                let reader = ProviderReader(file, of: name)
                reading.add(reader.provider, from: reader.settings)
            }
            reading.add(
                warnings: SharedProviderWarnings.about(reading.items) {
                    folder.place(ofFileNamed: $0.lowercaseName)
                })
            return reading
        }
    }
}
