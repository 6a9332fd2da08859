import Gatehouse
import IdentityProviders

extension SettingsFolder.Kind {
    /// Those of the providers.
    static var providers: Self {
        Self(
            setting: \.apple.providersFolder, usualName: "providers.d", thing: "provider",
            names: ProviderSettings.names,
            credentials: { provider, setting in [provider + "_" + setting.lowercased()] },
            refusal: { name in
                guard loginsWithoutFile.contains(name) else { return nil }
                return "has the name of a login that has no file: choose another name"
            })
    }

    /// The logins that are Gatehouse's own, and are configured by other settings.
    private static let loginsWithoutFile: Set = ["apple", "dev", "phone", "email", "passkey", "number", "guest"]
}

extension SettingReader<Settings> {
    /// The providers that have a file each. Those with a fault are left out.
    mutating func providers() -> [ConfiguredProvider] {
        let files = read(.providers) { name, source in
            let settings = SettingReader<ProviderSettings>(provider: source)
            let provider = Provider(lowercaseName: name).flatMap(settings.provider)
            return (settings, provider.map { (provider: $0, place: source.file?.place ?? name) })
        }
        // One person would be two users, one for each provider.
        for (index, later) in files.enumerated() {
            for earlier in files[..<index] {
                guard let names = earlier.provider.sharedSettings(with: later.provider) else { continue }
                warn(
                    "\(earlier.place) and \(later.place) have the same \(names): each login is accepted by both, for "
                        + "different users")
            }
        }
        return files.map(\.provider)
    }
}

extension ConfiguredProvider {
    /// The settings in which two providers accept the same logins; nil if they differ.
    fileprivate func sharedSettings(with other: ConfiguredProvider) -> String? {
        let table = ProviderSettings.table
        if let app = app, kind == other.kind { return app.id == other.app?.id ? table.appID.name : nil }
        guard let own = openID?.rules, let others = other.openID?.rules,
            !Set(own.issuers).isDisjoint(with: others.issuers), !Set(own.audiences).isDisjoint(with: others.audiences)
        else { return nil }
        return "\(table.issuer.name) and \(table.audiences.name)"
    }
}

// MARK: - One file

extension SettingReader<ProviderSettings> {
    fileprivate init(provider source: SettingSource) {
        self.init(source, [])
        guard source.file?.isReadable == true else { return }
        read(Table.table.kind, isRequired: true)
        if let kind = self[\.kind] { readSettings(of: kind) } else { readSettingsOfUnknownKind() }
    }

    /// Nil if the file has a fault, or if a value may be in a folder that this user cannot open.
    fileprivate func provider(_ name: Provider) -> ConfiguredProvider? {
        guard found.isEmpty, let kind = self[\.kind], let details = kind.init(self) else { return nil }
        guard let id = self[\.clientID] else { return ConfiguredProvider(name: name, details: details) }
        guard let secret = self[\.clientSecret], let client = kind.webClient(id: id, secret: secret, self) else {
            return nil
        }
        return ConfiguredProvider(name: name, details: details, web: client)
    }

    private mutating func readSettings(of kind: any ProviderKind.Type) {
        for setting in kind.settings {
            let text: String? = if case .text(let text) = setting.defaultValue { text } else { nil }
            read(setting.row, or: text, isRequired: setting.defaultValue == .required)
        }
        let names = Set(kind.allSettings.map(\.row.name))
        for row in Table.all where !names.contains(row.name) && hasLine(for: row) {
            addFault(row.name, "does not belong to \(Table.table.kind.name)=\(kind.kind)")
        }
        checkWebClient()
    }

    /// The client's id and secret belong together, and the other settings of a browser's login to them.
    private mutating func checkWebClient() {
        let table = Table.table
        let (id, secret) = (table.clientID, table.clientSecret)
        if isSet(id), !isSet(secret), !mayBeHidden(secret) {
            addFault(secret.name, "is required with \(id.name): set it to \(secret.format)")
        }
        guard !isSet(id) else { return }
        let others: [any SettingRow] = [secret, table.pageURL, table.tokenURL, table.scopes]
        for row in others where isSet(row) { addFault(row.name, "needs \(id.name), which is not set") }
    }

    /// Any setting may belong to the kind that was meant, so only their own faults are known.
    private mutating func readSettingsOfUnknownKind() {
        for row in Table.all.dropFirst() where hasLine(for: row) { read(row) }
    }
}
