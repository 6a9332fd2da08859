import FileSystem
import POSIX
import Text

/// A folder with a file of settings for each provider, or for each receiver.
struct SettingsFolder {
    /// What the files of a folder have in common.
    struct Kind {
        /// The setting that names the folder.
        let setting: KeyPath<Settings, Setting<String?>>
        /// The folder beside the configuration file that is used without the setting.
        let usualName: String
        /// What a file is for, in messages.
        let thing: String
        /// The settings that a file may have.
        let names: SettingNames
        /// The systemd credentials of a setting in `SettingScope`, by the name of the file and of the setting.
        let credentials: @Sendable (_ file: String, _ setting: String) -> [String]
        /// Why a name cannot be that of a file, if it cannot.
        var refusal: (String) -> String? = { _ in nil }
    }

    /// What a name in the folder stands for.
    enum Entry {
        /// By its name without the ending.
        case file(String, SettingSource)
        /// A file of the operator's that must not be here.
        case wrong(SettingFault)
        /// Another file, such as a copy that an editor has left, with a warning.
        case ignored(String)
    }

    private let kind: Kind
    /// Nil if there is neither the setting nor a configuration file beside which the folder could be.
    private let path: String?
    /// Whether the setting names it. Otherwise it may be missing.
    private let isNamed: Bool
    private let server: SettingSource

    /// - Parameter path: the value of the setting.
    init(_ kind: Kind, at path: String?, beside server: SettingSource) {
        (self.kind, self.server) = (kind, server)
        isNamed = path != nil
        self.path = path ?? server.file.map { File.folder(of: $0.path) + "/" + kind.usualName }
    }

    /// The entries by their names. Files of programs are left out, such as an editor's or those of a container's volume.
    var entries: [Entry] {
        do throws(SettingFault) { return try names().filter { !$0.hasPrefix(".") }.map(entry) } catch {
            return [.wrong(error)]
        }
    }

    /// The files that are read, also those with faults.
    var files: [SettingSource] {
        entries.compactMap { if case .file(_, let source) = $0 { source } else { nil } }
    }

    private func names() throws(SettingFault) -> [String] {
        guard let path, isNamed || !File.isMissing(path) else { return [] }
        do throws(POSIXError) { return try File.names(in: path).sorted() } catch {
            let user = error.isDenied ? "; this is the user \(UserDatabase.ofThisMachine().current.name)" : ""
            throw SettingFault(
                isNamed ? Settings.table[keyPath: kind.setting].name : path,
                (isNamed ? "names a folder that " : "") + "cannot be read: \(error.reason)\(user)")
        }
    }

    private static let ending = ".conf"

    private func entry(_ file: String) -> Entry {
        let place = place(of: file)
        guard file.hasSuffix(Self.ending) else {
            return .ignored("\(place) is ignored: the name of a \(kind.thing)'s file ends in \(Self.ending)")
        }
        let name = String(file.dropLast(Self.ending.count))
        let path = (path ?? "") + "/" + file
        if let fault = Self.fault(ofName: name) ?? kind.refusal(name) {
            return .wrong(SettingFault(place, fault, in: path))
        }
        let content = ConfigurationFile.reading(path, as: place, names: kind.names)
        let scope = SettingScope(
            place: place + ": ", label: self.place(of: name) + ": ", secrets: kind.names.secrets,
            credentials: { [credentials = kind.credentials] in credentials(name, $0) })
        let source = SettingSource(of: scope, in: content, beside: server)
        return .file(name, server.later.map(source.passing) ?? source)
    }

    private static let longestName = 32

    /// Nil for a name that a file may have. Its bytes are compared: Swift compares texts that differ only in how a character is
    /// composed as equal.
    private static func fault(ofName name: String) -> String? {
        let isValid =
            (1...longestName).contains(name.utf8.count) && name.utf8.first?.isLowercaseLetter == true
            && name.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
        return isValid
            ? nil
            : "must be named with up to \(longestName) of a to z, 0 to 9 and _, the first one a letter, before \(ending)"
    }

    /// A file in messages: with the name of its folder alone.
    private func place(of file: String) -> String {
        let parts = (path ?? "").split(separator: "/", omittingEmptySubsequences: true)
        let place = (parts.last.map { $0 + "/" } ?? "") + file
        // The name of a file may have any character: one that a terminal acts on is not shown.
        return String(place.map { $0.isASCII && !(0x20..<0x7F).contains($0.asciiValue ?? 0) ? "?" : $0 })
    }
}

/// The files that the things of a folder are read from, for checks of their permissions.
package struct FolderFiles: Sendable {
    /// The files in the folder.
    package let settings: [String]
    /// The files that hold a secret alone, each with the setting's name for messages.
    package let secrets: [(name: String, path: String)]

    init(of kind: SettingsFolder.Kind, for source: SettingSource) {
        let files = SettingsFolder(kind, at: source.readIfSound(kind.setting) ?? nil, beside: source).files
        settings = files.compactMap(\.file?.path)
        secrets = files.flatMap { file in
            kind.names.secrets.compactMap { name in
                file.path(of: name).map { (file.scope.place + name, $0) }
            }
        }
    }
}
