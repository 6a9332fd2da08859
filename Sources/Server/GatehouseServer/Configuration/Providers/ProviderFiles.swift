/// The files that the providers are read from, for checks of their permissions.
package struct ProviderFiles: Sendable {
    /// The files in `PROVIDERS_DIR`.
    package let settings: [String]
    /// The files that hold a secret alone, each with the setting's name for messages.
    package let secrets: [(name: String, path: String)]

    init(of source: SettingSource) {
        let folder = source.readIfSound(\.providersFolder) ?? nil
        let files = ProvidersFolder(of: folder, beside: source).files
        settings = files.map(\.file.path)
        secrets = files.flatMap { _, file, source in
            ProviderSettings.names.secrets.compactMap { name in
                source.path(of: name).map { ("\(file.place): \(name)", $0) }
            }
        }
    }
}
