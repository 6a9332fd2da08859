/// What the settings of a source belong to.
enum SettingScope: Sendable {
    case server
    /// A provider, by its name in lower case.
    case provider(String)

    /// The name of the systemd credential with a setting.
    func credential(_ name: String) -> String {
        switch self {
        case .server: name.lowercased()
        case .provider(let provider): provider + "_" + name.lowercased()
        }
    }

    func isSecret(_ name: String) -> Bool {
        switch self {
        case .server: Settings.isSecret(name)
        case .provider: ProviderSettings.names.secrets.contains(name)
        }
    }
}
