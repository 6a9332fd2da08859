import FileSystem
import Gatehouse
import POSIX

/// The folder with a file for each provider.
struct ProvidersFolder {
    /// Nil if there is neither the setting nor a configuration file beside which the folder could be.
    private let path: String?
    /// Whether `PROVIDERS_DIR` names it. Otherwise it may be missing.
    private let isNamed: Bool
    private let server: SettingSource

    private static let usualName = "providers.d"

    /// - Parameter setting: `PROVIDERS_DIR`.
    init(of setting: String?, beside server: SettingSource) {
        self.server = server
        isNamed = setting != nil
        path = setting ?? server.file.map { File.folder(of: $0.path) + "/" + Self.usualName }
    }

    /// Reads every file.
    func read() -> ProvidersReading {
        var reading = ProvidersReading()
        let files: [String]
        do throws(SettingFault) { files = try names() } catch {
            reading.faults.append(error)
            return reading
        }
        for file in files { read(file, into: &reading) }
        reading.warnings += SharedProviderWarnings.about(reading.providers) { place(of: $0.lowercaseName + ".conf") }
        return reading
    }

    /// The files of providers, also of those with faults.
    var files: [(provider: Provider, file: ConfigurationFile, source: SettingSource)] {
        ((try? names()) ?? []).compactMap { name in
            guard case .provider(let provider) = ProviderFileName(name) else { return nil }
            let file = content(of: name)
            return (provider, file, SettingSource(ofProvider: provider.lowercaseName, in: file, beside: server))
        }
    }

    private func names() throws(SettingFault) -> [String] {
        guard let path, isNamed || !File.isMissing(path) else { return [] }
        do throws(POSIXError) { return try File.names(in: path).sorted() } catch {
            let user = error.isDenied ? "; this is the user \(UserDatabase.ofThisMachine().current.name)" : ""
            throw SettingFault(
                isNamed ? Settings.table.providersFolder.name : path,
                (isNamed ? "names a folder that " : "") + "cannot be read: \(error.reason)\(user)")
        }
    }

    private func read(_ file: String, into reading: inout ProvidersReading) {
        switch ProviderFileName(file) {
        case .provider(let name):
            let content = content(of: file)
            let label = place(of: name.lowercaseName)
            reading.add(ProviderReader(content, of: name, labelled: label, beside: server))
            reading.warnings += content.warnings
        case .wrong(let reason): reading.faults.append(SettingFault(place(of: file), reason))
        case .other:
            reading.warnings.append(
                "\(place(of: file)) is ignored: the name of a provider's file ends in \(ProviderFileName.ending)")
        case .hidden: break
        }
    }

    private func content(of file: String) -> ConfigurationFile {
        let path = (path ?? "") + "/" + file
        return ConfigurationFile.reading(path, as: place(of: file), names: ProviderSettings.names)
    }

    /// The file in messages: with the name of its folder alone.
    private func place(of file: String) -> String {
        let parts = (path ?? "").split(separator: "/", omittingEmptySubsequences: true)
        let place = (parts.last.map { $0 + "/" } ?? "") + file
        // The name of a file may have any character: one that a terminal acts on is not shown.
        return String(place.map { $0.isASCII && !(0x20..<0x7F).contains($0.asciiValue ?? 0) ? "?" : $0 })
    }
}

/// The files of a folder of providers.
struct ProvidersReading {
    private(set) var providers: [ConfiguredProvider] = []
    fileprivate(set) var faults: [SettingFault] = []
    fileprivate(set) var warnings: [String] = []
    private(set) var digests = SettingDigests()
    /// Whether a secret may be in a folder that this user cannot open.
    private(set) var mayMissValues = false

    fileprivate mutating func add(_ reader: ProviderReader) {
        if let provider = reader.provider { providers.append(provider) }
        faults += reader.faults
        digests.merge(reader.digests)
        mayMissValues = mayMissValues || reader.mayMissValues
    }
}
