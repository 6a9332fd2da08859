import GatehouseTokens

extension SettingReader {
    /// The keys of the vault, where they are set, for comparing them with other secrets.
    ///
    /// - Parameter isRequired: whether there is anything to be sealed.
    mutating func vault(isRequired: Bool) -> (vault: DataVault?, secrets: [NamedSecret]) {
        let (name, earlier) = ("DATA_KEY", "DATA_KEY_PREVIOUS")
        let (key, previous) = (attempt(name), attempt(earlier))
        if !key.isSet, isRequired || previous.isSet {
            noteMissing(name, "32 random bytes in base64 encrypt what is kept of Apple's")
        }
        let found = [(name, key.text), (earlier, previous.text)].compactMap { name, text in
            text.map { NamedSecret(name: name, bytes: Array($0.utf8)) }
        }
        let keys = (key.text.flatMap { dataKey(name, $0) }, previous.text.flatMap { dataKey(earlier, $0) })
        return (keys.0.map { DataVault(key: $0, previous: keys.1) }, found)
    }

    private mutating func dataKey(_ name: String, _ text: String) -> DataKey? {
        guard let bytes = DataKey.bytes(written: text), let key = try? DataKey(bytes) else {
            note(name, "must be 32 bytes in base64 or base64url")
            return nil
        }
        if bytes.isRepetitive { note(name, NamedSecret.repetitive) }
        return key
    }
}
