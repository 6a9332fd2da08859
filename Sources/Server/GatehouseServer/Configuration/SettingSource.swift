import FileSystem
import POSIX
import Processes

/// The places from which a setting `X` is read, in order of precedence: the environment variable `X`, or the file that
/// `X_FILE` names; the same in the configuration file; the systemd credential `x`.
package struct SettingSource: Sendable {
    private let variables: [String: String]
    package private(set) var file: ConfigurationFile?
    /// The folder of credentials, and whether this user can open it.
    private let credentials: (folder: String, isOpen: Bool)?
    let scope: SettingScope
    /// The unknown names that are passed over; nil if the database has not been asked.
    private(set) var later: LaterSettings?

    /// Set by systemd, or in the configuration file for commands that an operator runs.
    package static let credentialsVariable = "CREDENTIALS_DIRECTORY"

    /// - Parameter file: nil if settings come from the environment only.
    package init(variables: [String: String], file: ConfigurationFile? = nil) {
        (self.variables, self.file) = (variables, file)
        let name = Self.credentialsVariable
        let folder = [variables[name], file?.values[name]].lazy.compactMap { Self.nonEmpty($0) }.first
        credentials = folder.map { ($0, File.isMissing($0) || File.isSearchableFolder($0)) }
        scope = .server
    }

    /// The settings of a provider or a receiver: in its file, or in credentials of the server with names of their own. The
    /// environment has none of them.
    init(of scope: SettingScope, in file: ConfigurationFile, beside server: SettingSource) {
        variables = [:]
        self.file = file
        credentials = server.credentials
        self.scope = scope
    }

    func passing(_ later: LaterSettings) -> SettingSource {
        var source = self
        (source.later, source.file) = (later, file?.passing(later))
        return source
    }

    /// The fault that this user cannot open the folder of credentials, which may hold any secret.
    package var closedFolder: SettingFault? {
        guard let credentials, !credentials.isOpen else { return nil }
        let user = UserDatabase.ofThisMachine().current.name
        return SettingFault(
            Self.credentialsVariable, "is closed to this user, \(user): \(credentials.folder) may hold the secrets")
    }

    /// The folder of credentials as operators know it. For a service, systemd passes a copy at another place.
    package var credentialsFolderOfOperators: String? {
        Self.nonEmpty(file?.values[Self.credentialsVariable]) ?? credentials?.folder
    }

    /// The environment with which this process was started, and the configuration file as it is now.
    package static func current(
        variables: [String: String] = ProcessEnvironment.variables(), usualFile: String = ConfigurationFile.usualPath
    ) -> SettingSource {
        SettingSource(
            variables: variables, file: ConfigurationFile.named(by: variables, usually: usualFile))
    }

    /// The text of a setting; nil if it is not set or empty. Throws if a file cannot be read, or if both `X` and
    /// `X_FILE` are set.
    func value(of name: String) throws(SettingFault) -> String? {
        switch try place(of: name) {
        case .text(let text): text
        case .path(let path): try content(of: path, for: name, isUnsetIfEmpty: false)
        case .credential(let path): try content(of: path, for: name, isUnsetIfEmpty: true)
        case nil: nil
        }
    }

    func isSetInEnvironment(_ name: String) -> Bool {
        [name, name + Settings.fileSuffix].contains { Self.nonEmpty(variables[$0]) != nil }
    }

    /// Whether a line of the configuration file for this setting has a syntax error, and the
    /// environment does not set it.
    func hasFaultyLine(for name: String) -> Bool {
        guard let file, (try? place(of: name, in: variables)) == nil else { return false }
        return !file.namesOfFaultyLines.isDisjoint(with: [name, name + Settings.fileSuffix])
    }

    /// Whether this is a secret that may be in the folder of credentials, which this user cannot open.
    func mayBeInClosedFolder(_ name: String) -> Bool {
        guard let credentials, !credentials.isOpen, (try? place(of: name)) == nil else { return false }
        return scope.secrets.contains(name)
    }

    /// The file that a setting is read from; nil if its value is not in a file of its own.
    package func path(of name: String) -> String? {
        switch try? place(of: name) {
        case .path(let path), .credential(let path): path
        case .text, nil: nil
        }
    }

    /// The place of a secret that a command replaces.
    package enum SecretPlace: Sendable, Equatable {
        case file(String)
        /// In the environment, or in the configuration file itself.
        case text
        /// The secret is not set. It would be read from this file if the file existed.
        case missing(credential: String?)
    }

    package func secretPlace(of name: String) throws(SettingFault) -> SecretPlace {
        switch try place(of: name) {
        case .path(let path), .credential(let path): .file(path)
        case .text: .text
        case nil: .missing(credential: paths(ofCredential: name).first)
        }
    }

    /// Whether `X_FILE` is set.
    package func isSetByFile(_ name: String) -> Bool {
        if case .path = try? place(of: name) { return true }
        return false
    }

    /// The place from which a setting is read.
    package enum Origin: Sendable, Equatable {
        case environment
        /// A line of the configuration file.
        case configurationFile(String)
        /// A file of its own, or a credential.
        case file(String)
    }

    /// Nil if the setting is not set, or is set twice.
    package func origin(of name: String) -> Origin? {
        if let path = path(of: name) { return .file(path) }
        guard case .text? = try? place(of: name) else { return nil }
        if Self.nonEmpty(variables[name]) != nil { return .environment }
        return file.map { .configurationFile($0.path) }
    }

    /// The file beside the configuration file that has the name of a setting in lower case, and its text. Nil if
    /// there is none that can be read.
    func fileBesideConfiguration(for name: String) -> (path: String, text: String)? {
        guard let file else { return nil }
        let path = File.folder(of: file.path) + "/" + name.lowercased()
        guard let text = try? content(of: path, for: name, isUnsetIfEmpty: true) else { return nil }
        return (path, text)
    }

    private enum Place {
        case text(String)
        case path(String)
        case credential(String)
    }

    private func place(of name: String) throws(SettingFault) -> Place? {
        for layer in [variables, file?.values ?? [:]] {
            if let place = try place(of: name, in: layer) { return place }
        }
        // A folder that this user cannot open is reported once, and not for each setting.
        guard let credentials, credentials.isOpen else { return nil }
        return paths(ofCredential: name).first { !File.isMissing($0) }.map(Place.credential)
    }

    private func paths(ofCredential name: String) -> [String] {
        guard let credentials else { return [] }
        return scope.credentials(name).map { credentials.folder + "/" + $0 }
    }

    private func place(of name: String, in layer: [String: String]) throws(SettingFault) -> Place? {
        let plain = Self.nonEmpty(layer[name])
        let file = Self.nonEmpty(layer[name + Settings.fileSuffix])
        if plain != nil, file != nil {
            throw SettingFault(name, "is set twice: as \(name) and as \(name + Settings.fileSuffix)")
        }
        return plain.map(Place.text) ?? file.map(Place.path)
    }

    /// - Parameter isUnsetIfEmpty: whether an empty file means that the setting is not set. A systemd unit must name
    ///   every credential, and creates an empty one if the operator has none.
    private func content(of path: String, for name: String, isUnsetIfEmpty: Bool) throws(SettingFault) -> String? {
        let bytes: [UInt8]
        do { bytes = try File.read(path, atMost: 65_536) } catch {
            throw SettingFault(name, "cannot \(error)", in: path)
        }
        // A decoder that repairs invalid UTF-8 would replace bytes of a binary secret.
        guard var text = String(validating: bytes, as: UTF8.self)?[...] else {
            throw SettingFault(name, "comes from \(path), which is not UTF-8 text", in: path)
        }
        while let last = text.last, last.isNewline { text.removeLast() }
        if text.isEmpty, isUnsetIfEmpty { return nil }
        guard !text.isEmpty else { throw SettingFault(name, "comes from \(path), which is empty", in: path) }
        return String(text)
    }

    private static func nonEmpty(_ text: String?) -> String? {
        text.flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// What the settings of a source belong to: the server, or a provider or a receiver with a file of its own.
struct SettingScope: Sendable {
    /// Before the name of a setting in faults, such as `providers.d/google.conf: `.
    var place = ""
    /// Before the name of a setting that has changed, such as `providers.d/google: `.
    var label = ""
    /// The settings that are secret.
    let secrets: [String]
    /// The names that the systemd credential with a setting can have, relative to the folder of credentials.
    let credentials: @Sendable (_ setting: String) -> [String]

    static let server = SettingScope(secrets: SettingNames.ofServer.secrets) { [$0.lowercased()] }
}
