import GatehouseTokens

extension SettingReader {
    /// The keys of the vault, where they are set, for comparing them with other secrets.
    ///
    /// - Parameter isRequired: whether there is anything to be sealed.
    mutating func vault(isRequired: Bool) -> (vault: DataVault?, secrets: [NamedSecret]) {
        let name = "DATA_KEY"
        let key = attempt(name)
        let previous = previousKeys(of: name, .line)
        if !key.isSet, isRequired || previous?.isEmpty != true {
            noteMissing(name, "32 random bytes in base64 encrypt what is kept of Apple's")
        }
        let places = (key.text.map { [SettingKey(name: name, text: $0)] } ?? []) + (previous ?? [])
        let secrets = withoutRepetitions(places.map(NamedSecret.init))
        let keys = secrets.map { ($0.name, dataKey($0.place)) }
        let current = keys.first { $0.0 == name }?.1
        return (current.map { DataVault(key: $0, previous: keys.filter { $0.0 != name }.compactMap(\.1)) }, secrets)
    }

    private mutating func dataKey(_ place: SettingKey) -> DataKey? {
        guard let bytes = DataKey.bytes(written: place.text), let key = try? DataKey(bytes) else {
            note(place, "must be 32 bytes in base64 or base64url")
            return nil
        }
        if bytes.isRepetitive { note(place, NamedSecret.repetitive) }
        return key
    }
}
