import FileSystem
import POSIX

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
        /// What the settings of a file belong to, by the name of the file.
        let scope: (String) -> SettingScope
        /// Why a name cannot be that of a file, if it cannot.
        var refusal: (String) -> String? = { _ in nil }
    }

    private let kind: Kind
    /// Nil if there is neither the setting nor a configuration file beside which the folder could be.
    private let path: String?
    /// Whether the setting names it. Otherwise it may be missing.
    private let isNamed: Bool
    private let server: SettingSource

    /// - Parameter path: the value of the setting.
    init(_ kind: Kind, at path: String?, beside server: SettingSource) {
        self.kind = kind
        self.server = server
        isNamed = path != nil
        self.path = path ?? server.file.map { File.folder(of: $0.path) + "/" + kind.usualName }
    }

    /// Reads every file.
    ///
    /// - Parameter read: adds what it has read of one file.
    func read<Item>(_ read: (SettingsFile, inout FolderReading<Item>) -> Void) -> FolderReading<Item> {
        var reading = FolderReading<Item>()
        let files: [String]
        do throws(SettingFault) { files = try names() } catch {
            reading.add(faults: [error])
            return reading
        }
        for file in files {
            switch fileName(file) {
            case .named(let name):
                let file = self.file(named: name)
                read(file, &reading)
                reading.add(warnings: file.content.warnings)
            case .wrong(let reason):
                reading.add(faults: [SettingFault(place(of: file), reason, in: (path ?? "") + "/" + file)])
            case .other:
                let ending = "the name of a \(kind.thing)'s file ends in \(SettingsFileName.ending)"
                reading.add(warnings: ["\(place(of: file)) is ignored: \(ending)"])
            case .hidden: break
            }
        }
        return reading
    }

    /// The files that are read, also those with faults.
    var files: [SettingsFile] {
        ((try? names()) ?? []).compactMap { file in
            if case .named(let name) = fileName(file) { self.file(named: name) } else { nil }
        }
    }

    /// A file in messages: with the name of its folder alone.
    func place(ofFileNamed name: String) -> String { place(of: name + SettingsFileName.ending) }

    private func names() throws(SettingFault) -> [String] {
        guard let path, isNamed || !File.isMissing(path) else { return [] }
        do throws(POSIXError) { return try File.names(in: path).sorted() } catch {
            let user = error.isDenied ? "; this is the user \(UserDatabase.ofThisMachine().current.name)" : ""
            throw SettingFault(
                isNamed ? Settings.table[keyPath: kind.setting].name : path,
                (isNamed ? "names a folder that " : "") + "cannot be read: \(error.reason)\(user)")
        }
    }

    private func fileName(_ file: String) -> SettingsFileName {
        let parsed = SettingsFileName(file)
        guard case .named(let name) = parsed, let refusal = kind.refusal(name) else { return parsed }
        return .wrong(refusal)
    }

    private func file(named name: String) -> SettingsFile {
        let place = place(ofFileNamed: name)
        let content = ConfigurationFile.reading(
            (path ?? "") + "/" + name + SettingsFileName.ending, as: place, names: kind.names)
        return SettingsFile(
            name: name, label: self.place(of: name), content: content,
            source: SettingSource(of: kind.scope(name), in: content, beside: server))
    }

    private func place(of file: String) -> String {
        let parts = (path ?? "").split(separator: "/", omittingEmptySubsequences: true)
        let place = (parts.last.map { $0 + "/" } ?? "") + file
        // The name of a file may have any character: one that a terminal acts on is not shown.
        return String(place.map { $0.isASCII && !(0x20..<0x7F).contains($0.asciiValue ?? 0) ? "?" : $0 })
    }
}

/// A file in a folder of settings.
struct SettingsFile {
    /// Without the ending.
    let name: String
    /// The file in the names of changed settings, such as `providers.d/google`.
    let label: String
    let content: ConfigurationFile
    let source: SettingSource
}
