import POSIX

/// Where a setting `X` can come from: the variable `X` or a file that `X_FILE` names, the same in the configuration
/// file, or a systemd credential `x`. What comes first here wins.
package struct SettingSource: Sendable {
    private let variables: [String: String]
    package let file: ConfigurationFile?
    /// Where credentials are, and whether this user may look.
    private let credentials: (folder: String, isOpen: Bool)?

    /// - Parameter file: nil where the environment is all there is.
    package init(variables: [String: String], file: ConfigurationFile? = nil) {
        self.variables = variables
        self.file = file
        let name = "CREDENTIALS_DIRECTORY"
        let folder = [variables[name], file?.values[name]].lazy.compactMap { Self.nonEmpty($0) }.first
        credentials = folder.map { ($0, File.isMissing($0) || File.isOpenFolder($0)) }
    }

    /// A folder of credentials that is closed to this user, and may hold any secret.
    package var denial: SettingFault? {
        guard let credentials, !credentials.isOpen else { return nil }
        let user = AccountBook.ofThisMachine().current.name
        return SettingFault(
            "CREDENTIALS_DIRECTORY", "is closed to this user, \(user): \(credentials.folder) may hold the secrets")
    }

    /// What a process was started with, and the configuration file as it is now.
    package static func current(
        variables: [String: String] = ProcessEnvironment.variables(), usualFile: String = ConfigurationFile.usualPath
    ) -> SettingSource {
        SettingSource(
            variables: variables, file: ConfigurationFile.named(by: variables, usually: usualFile))
    }

    /// The value as it is written, nil where it is nowhere or empty. Throws where a file cannot be read or two places
    /// disagree about who is right.
    func value(of name: String) throws(SettingFault) -> String? {
        switch try place(of: name) {
        case .here(let text): text
        case .path(let path): try content(of: path, for: name, orEmpty: false)
        case .credential(let path): try content(of: path, for: name, orEmpty: true)
        case nil: nil
        }
    }

    /// Whether the environment sets this, which then counts.
    func isSetInEnvironment(_ name: String) -> Bool {
        [name, name + "_FILE"].contains { Self.nonEmpty(variables[$0]) != nil }
    }

    /// Whether a line of the configuration file was meant for this, and is no good.
    func isSpoilt(_ name: String) -> Bool {
        guard let file, (try? place(of: name, in: variables)) == nil else { return false }
        return !file.spoilt.isDisjoint(with: [name, name + "_FILE"])
    }

    /// Whether this is a secret that may be in a folder that is closed.
    func isDenied(_ name: String) -> Bool {
        guard let credentials, !credentials.isOpen, (try? place(of: name)) == nil else { return false }
        return Setting.all.contains { $0.isSecret && $0.name == name }
    }

    /// The file that a setting is read from; nil where it is from none, or nowhere.
    package func path(of name: String) -> String? {
        switch try? place(of: name) {
        case .path(let path), .credential(let path): path
        case .here, nil: nil
        }
    }

    /// Where a command finds a secret that it replaces.
    package enum SecretPlace: Sendable, Equatable {
        case file(String)
        /// In the environment, or in the configuration file itself.
        case text
        /// It is not set, and would be read from this file if that were there.
        case missing(credential: String?)
    }

    package func secretPlace(of name: String) throws(SettingFault) -> SecretPlace {
        switch try place(of: name) {
        case .path(let path), .credential(let path): .file(path)
        case .here: .text
        case nil: .missing(credential: credentials.map { $0.folder + "/" + name.lowercased() })
        }
    }

    /// Whether a setting names the file that a value is read from.
    package func isNamed(_ name: String) -> Bool {
        if case .path = try? place(of: name) { return true }
        return false
    }

    /// Where a setting comes from.
    package enum Origin: Sendable, Equatable {
        case environment
        /// A line of the configuration file.
        case configurationFile(String)
        /// A file of its own, or a credential.
        case file(String)
    }

    /// Nil where the setting is not set, or its place cannot be told.
    package func origin(of name: String) -> Origin? {
        if let path = path(of: name) { return .file(path) }
        guard case .here? = try? place(of: name) else { return nil }
        if Self.nonEmpty(variables[name]) != nil { return .environment }
        return file.map { .configurationFile($0.path) }
    }

    /// The file beside the configuration file that is named as a setting is, in small letters, and what it says. Nil where
    /// there is none that can be read.
    func fallback(for name: String) -> (path: String, text: String)? {
        guard let file else { return nil }
        let path = File.folder(of: file.path) + "/" + name.lowercased()
        guard let text = try? content(of: path, for: name, orEmpty: true) else { return nil }
        return (path, text)
    }

    private enum Place {
        case here(String)
        case path(String)
        case credential(String)
    }

    private func place(of name: String) throws(SettingFault) -> Place? {
        for layer in [variables, file?.values ?? [:]] {
            if let place = try place(of: name, in: layer) { return place }
        }
        // In a closed one there are secrets, and nothing else is looked for.
        guard let credentials, credentials.isOpen else { return nil }
        let credential = credentials.folder + "/" + name.lowercased()
        return File.isMissing(credential) ? nil : .credential(credential)
    }

    private func place(of name: String, in layer: [String: String]) throws(SettingFault) -> Place? {
        let plain = Self.nonEmpty(layer[name])
        let file = Self.nonEmpty(layer[name + "_FILE"])
        if plain != nil, file != nil {
            throw SettingFault(name, "is set twice: as \(name) and as \(name)_FILE")
        }
        return plain.map(Place.here) ?? file.map(Place.path)
    }

    /// - Parameter orEmpty: whether an empty file is as good as none. A unit has to name a credential for each setting
    ///   that there may be, and makes an empty one where there is none.
    private func content(of path: String, for name: String, orEmpty: Bool) throws(SettingFault) -> String? {
        let bytes: [UInt8]
        do { bytes = try File.read(path, atMost: 65_536) } catch { throw SettingFault(name, "cannot \(error)") }
        // Decoding with repairs would turn a binary secret into a row of replacement characters.
        guard var text = String(validating: bytes, as: UTF8.self)?[...] else {
            throw SettingFault(name, "comes from \(path), which is no text")
        }
        while let last = text.last, last.isNewline { text.removeLast() }
        if text.isEmpty, orEmpty { return nil }
        guard !text.isEmpty else { throw SettingFault(name, "comes from \(path), which is empty") }
        return String(text)
    }

    private static func nonEmpty(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
