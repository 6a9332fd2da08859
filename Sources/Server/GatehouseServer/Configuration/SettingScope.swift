/// What the settings of a source belong to.
enum SettingScope: Sendable {
    case server
    /// A provider, by its name in lower case.
    case provider(String)
    /// A receiver of events, by its name.
    case receiver(String)

    /// The names that the systemd credential with a setting can have, relative to the folder of credentials.
    ///
    /// The secrets of receivers are in a folder, so that a unit can name all of them at once (`LoadCredential=`):
    /// systemd joins the name of the folder and the name of the file with `_`. A receiver has one secret, and no other
    /// setting there.
    func credentials(_ name: String) -> [String] {
        switch self {
        case .server: [name.lowercased()]
        case .provider(let provider): [provider + "_" + name.lowercased()]
        case .receiver(let receiver): isSecret(name) ? ["receivers_" + receiver, "receivers/" + receiver] : []
        }
    }

    func isSecret(_ name: String) -> Bool {
        switch self {
        case .server: Settings.isSecret(name)
        case .provider: ProviderSettings.names.secrets.contains(name)
        case .receiver: ReceiverSettings.names.secrets.contains(name)
        }
    }
}
