import CommandLineTool
import FileSystem
import GatehouseServer
import POSIX
import Processes

/// The file of a key and the file of its previous keys.
struct KeyFiles {
    private static let largest = 65_536

    let key: RotatedKey
    /// Nil if only the previous keys are read and the current key is not in a file.
    private let currentPath: String?
    let previousPath: String
    /// Whether a setting names the file of the previous keys, which must exist then.
    private let isPreviousRequired: Bool

    /// Throws if the key or its previous keys are set outside a file.
    init(of key: RotatedKey, from source: SettingSource) throws(CommandError) {
        guard case .file(let current) = try Self.place(of: key.setting, in: source) else {
            throw CommandError(.usage, try Self.adviceIfMissing(key, from: source))
        }
        try self.init(key, current: current, source)
    }

    /// For reading the previous keys only: the current key may be missing, or be set outside a file.
    init(ofPrevious key: RotatedKey, from source: SettingSource) throws(CommandError) {
        try self.init(key, current: source.path(of: key.setting), source)
    }

    private init(_ key: RotatedKey, current: String?, _ source: SettingSource) throws(CommandError) {
        self.key = key
        let previous = try Self.place(of: key.previousSetting, in: source)
        let name = key.previousSetting
        switch previous {
        case .file(let path): previousPath = File.withoutLinks(path)
        case .missing(let credential?): previousPath = File.withoutLinks(credential)
        case .missing(nil), .text:
            throw CommandError(
                .usage,
                "\(name) has no file: set \(name)_FILE=\(current ?? "PATH")_previous beside \(key.setting)_FILE, and "
                    + "run this command again; it creates the file")
        }
        currentPath = current.map { File.withoutLinks($0) }
        isPreviousRequired = source.isSetByFile(key.previousSetting)
    }

    /// Access tokens are signed with a secret or with a key: an installation may have the other one.
    private static func adviceIfMissing(_ key: RotatedKey, from source: SettingSource) throws(CommandError) -> String {
        let other: RotatedKey? =
            switch key {
            case .signingKey: .accessSecret
            case .accessSecret: .signingKey
            case .refreshSecret, .dataKey: nil
            }
        guard let other, case .file = try place(of: other.setting, in: source) else {
            return "\(key.setting) is not set: set it first"
        }
        return "\(key.setting) is not set, because access tokens are signed with \(other.setting) here: "
            + "gatehouse keys rotate \(other.rawValue)"
    }

    private static func place(of name: String, in source: SettingSource) throws(CommandError)
        -> SettingSource.SecretPlace
    {
        let place: SettingSource.SecretPlace
        do throws(SettingFault) { place = try source.secretPlace(of: name) } catch {
            throw CommandError(.usage, error.description)
        }
        if let fault = source.closedFolder { throw CommandError(.usage, fault.description) }
        guard place == .text else { return place }
        throw CommandError(
            .usage,
            "\(name) is set in the environment or in the configuration file, which this command does not change: "
                + "move it to a file of its own, and set \(name)_FILE to its path")
    }

    /// Gives up root if another user controls the folder, since root must not write there.
    func giveUpRoot() throws(CommandError) {
        guard Privileges.isRoot else { return }
        do {
            let owners = [
                try PathOwner.ofFolder(at: folder), try PathOwner.ofFolder(at: File.folder(of: previousPath)),
            ]
            guard owners[0].user == owners[1].user else {
                throw CommandError(
                    .failed,
                    "\(folder) and \(File.folder(of: previousPath)) belong to different users: keep both files in one folder"
                )
            }
            guard !owners[0].isRoot else { return }
            try Privileges.drop(to: UserDatabase.ofThisMachine().account(of: owners[0].user), group: owners[0].group)
        } catch let fault as CommandError { throw fault } catch {
            throw CommandError(.failed, "root cannot change the keys in \(folder): \(error)")
        }
    }

    private var folder: String { File.folder(of: currentPath ?? previousPath) }

    /// Prevents other `gatehouse keys` commands from running until the lock is released.
    func lock() throws(CommandError) -> FileLock {
        let lock: FileLock?
        do throws(POSIXError) { lock = try FileLock.take(folder: folder) } catch { throw Self.failure(error) }
        guard let lock else {
            throw CommandError(
                .no, "another gatehouse keys command is running in \(folder): wait until it has finished")
        }
        return lock
    }

    /// The current key and the previous keys.
    func read() throws(CommandError) -> (current: String, previous: KeyList) {
        guard let currentPath else { throw CommandError(.usage, "\(key.setting) is not in a file") }
        return (try readCurrent(at: currentPath), try readPrevious())
    }

    func readPrevious() throws(CommandError) -> KeyList {
        KeyList(parsing: try text(at: previousPath, emptyIfMissing: true), key.form)
    }

    private func readCurrent(at currentPath: String) throws(CommandError) -> String {
        var text = try text(at: currentPath, emptyIfMissing: false)[...]
        while let last = text.last, last.isNewline { text.removeLast() }
        let entries = KeyList(parsing: String(text), key.form).entries
        let isWhole = entries.count == 1 && (key.form == .pem || entries[0].text == text)
        guard isWhole else {
            let form = key.form == .pem ? "one private key in PEM" : "one line that does not begin with #"
            throw CommandError(
                .usage, "\(currentPath) does not hold \(form), so it could not be moved to \(key.previousSetting)")
        }
        return entries[0].text
    }

    private func text(at path: String, emptyIfMissing: Bool) throws(CommandError) -> String {
        if emptyIfMissing, File.isMissing(path) { return "" }
        let bytes: [UInt8]
        do throws(POSIXError) { bytes = try File.read(path, atMost: Self.largest) } catch { throw Self.failure(error) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.usage, "\(path) is not text in UTF-8")
        }
        return text
    }

    /// The time at which the file of the previous keys last changed, in seconds since 1970.
    func previousChangedAt() -> Int64 { FileStatus.ifAny(at: previousPath)?.changedAt ?? .max }

    /// Performs one step durably.
    func write(_ step: KeyStep) throws(CommandError) {
        do throws(POSIXError) {
            switch step {
            case .current(let text): try replace(currentPath ?? previousPath, with: text + "\n")
            case .previous(let list) where list.text.isEmpty && !isPreviousRequired:
                try File.remove(previousPath)
                try File.syncFolder(File.folder(of: previousPath))
            case .previous(let list): try replace(previousPath, with: list.text.isEmpty ? heading : list.text)
            }
        } catch { throw Self.failure(error) }
    }

    /// Content for a file that must exist and must not be empty. It stays valid when keys are added.
    private var heading: String { "# previous keys of \(key.rawValue), newest first\n" }

    private func replace(_ path: String, with text: String) throws(POSIXError) {
        let model = try FileStatus(of: File.isMissing(path) ? currentPath ?? path : path)
        let draft = try DraftFile(in: File.folder(of: path), kind: ".\(File.name(of: path)).new-")
        try draft.write(Array(text.utf8), like: model)
        try draft.sync()
        _ = try draft.name(File.name(of: path), replacing: true)
    }

    private static func failure(_ error: POSIXError) -> CommandError {
        let advice = error.isDenied ? "; run this as root, or as the user who owns the file" : ""
        return CommandError(.failed, "\(error)\(advice). No key was lost; run this command again")
    }
}
