/// The files that the things of a folder are read from, for checks of their permissions.
package struct FolderFiles: Sendable {
    /// The files in the folder.
    package let settings: [String]
    /// The files that hold a secret alone, each with the setting's name for messages.
    package let secrets: [(name: String, path: String)]

    init(of kind: SettingsFolder.Kind, for source: SettingSource) {
        let path = source.readIfSound(kind.setting) ?? nil
        let files = SettingsFolder(kind, at: path, beside: source).files
        settings = files.map(\.content.path)
        secrets = files.flatMap { file in
            kind.names.secrets.compactMap { name in
                file.source.path(of: name).map { ("\(file.content.place): \(name)", $0) }
            }
        }
    }
}
