import GatehouseServer
import POSIX

/// The file that holds a key, and the one that holds those before it.
struct KeyFiles {
    private static let largest = 65_536

    let key: RotatedKey
    /// Nil where only the previous keys are looked at, and the current one is in no file.
    private let currentPath: String?
    let previousPath: String
    /// A setting names the file of the previous keys, which has to exist then.
    private let isPreviousRequired: Bool

    /// Finds the files of a key. Throws where one of the two keys stands elsewhere than in a file.
    init(of key: RotatedKey, from source: SettingSource) throws(CommandFault) {
        guard case .file(let current) = try Self.place(of: key.setting, in: source) else {
            throw CommandFault(.usage, "\(key.setting) is not set: there is nothing to rotate")
        }
        try self.init(key, current: current, source)
    }

    /// Finds the file of the previous keys alone: the current one may be gone, or stand elsewhere than in a file.
    init(ofPrevious key: RotatedKey, from source: SettingSource) throws(CommandFault) {
        try self.init(key, current: source.path(of: key.setting), source)
    }

    private init(_ key: RotatedKey, current: String?, _ source: SettingSource) throws(CommandFault) {
        self.key = key
        let previous = try Self.place(of: key.previousSetting, in: source)
        let name = key.previousSetting
        switch previous {
        case .file(let path): previousPath = File.withoutLinks(path)
        case .missing(let credential?): previousPath = File.withoutLinks(credential)
        case .missing(nil), .text:
            throw CommandFault(
                .usage,
                "\(name) has no file: set \(name)_FILE=\(current ?? "PATH")_previous beside \(key.setting)_FILE, and "
                    + "run this again; it makes the file")
        }
        currentPath = current.map { File.withoutLinks($0) }
        isPreviousRequired = source.isNamed(key.previousSetting)
    }

    private static func place(of name: String, in source: SettingSource) throws(CommandFault)
        -> SettingSource.SecretPlace
    {
        let place: SettingSource.SecretPlace
        do throws(SettingFault) { place = try source.secretPlace(of: name) } catch {
            throw CommandFault(.usage, error.description)
        }
        if let denial = source.denial { throw CommandFault(.usage, denial.description) }
        guard place == .text else { return place }
        throw CommandFault(
            .usage,
            "\(name) stands in the environment or in the configuration file, where this command does not change "
                + "it: put it into a file of its own, and name that as \(name)_FILE")
    }

    /// Gives up root where another user controls the folder: root must not write there.
    func takeOver() throws(CommandFault) {
        guard Privileges.areRoots else { return }
        do {
            let owners = [
                try PathOwner.ofFolder(at: folder), try PathOwner.ofFolder(at: File.folder(of: previousPath)),
            ]
            guard owners[0].user == owners[1].user else {
                throw CommandFault(
                    .failed,
                    "\(folder) and \(File.folder(of: previousPath)) belong to two users: keep both keys in one folder")
            }
            guard !owners[0].isRoot else { return }
            try Privileges.giveUp(for: AccountBook.ofThisMachine().account(of: owners[0].user), group: owners[0].group)
        } catch let fault as CommandFault { throw fault } catch {
            throw CommandFault(.failed, "the keys in \(folder) cannot be changed as root: \(error)")
        }
    }

    private var folder: String { File.folder(of: currentPath ?? previousPath) }

    /// Keeps other runs away for as long as the result lives.
    func lock() throws(CommandFault) -> FileLock {
        let lock: FileLock?
        do throws(POSIXError) { lock = try FileLock.take(folder: folder) } catch { throw Self.failure(error) }
        guard let lock else {
            throw CommandFault(.no, "another gatehouse keys command is at work in \(folder): wait until it has ended")
        }
        return lock
    }

    /// The key as its setting has it, and those before it.
    func read() throws(CommandFault) -> (current: String, previous: KeyList) {
        guard let currentPath else { throw CommandFault(.usage, "\(key.setting) is in no file") }
        return (try readCurrent(at: currentPath), try readPrevious())
    }

    func readPrevious() throws(CommandFault) -> KeyList {
        KeyList(parsing: try text(at: previousPath, orMissing: true), key.form)
    }

    private func readCurrent(at currentPath: String) throws(CommandFault) -> String {
        var text = try text(at: currentPath, orMissing: false)[...]
        while let last = text.last, last.isNewline { text.removeLast() }
        let entries = KeyList(parsing: String(text), key.form).entries
        let isWhole = entries.count == 1 && (key.form == .pem || entries[0].text == text)
        guard isWhole else {
            let form = key.form == .pem ? "one private key in PEM" : "one line, which does not begin with #"
            throw CommandFault(
                .usage, "\(currentPath) does not hold \(form): it could not stand in \(key.previousSetting)")
        }
        return entries[0].text
    }

    private func text(at path: String, orMissing: Bool) throws(CommandFault) -> String {
        if orMissing, File.isMissing(path) { return "" }
        let bytes: [UInt8]
        do throws(POSIXError) { bytes = try File.read(path, atMost: Self.largest) } catch { throw Self.failure(error) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFault(.usage, "\(path) is not text in UTF-8")
        }
        return text
    }

    /// Since when the previous keys are where they are.
    func previousChangedAt() -> Int64 { FileStatus.ifAny(at: previousPath)?.changedAt ?? .max }

    /// Takes one step: when this returns, the disk has it.
    func write(_ step: KeyStep) throws(CommandFault) {
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

    /// A file that has to be there, and must not be empty. It stays true when keys are added.
    private var heading: String { "# previous keys of \(key.rawValue), newest first\n" }

    private func replace(_ path: String, with text: String) throws(POSIXError) {
        let model = try FileStatus(of: File.isMissing(path) ? currentPath ?? path : path)
        let draft = try DraftFile(in: File.folder(of: path), kind: ".\(File.name(of: path)).new-")
        try draft.write(Array(text.utf8), like: model)
        try draft.sync()
        _ = try draft.name(File.name(of: path), replacing: true)
    }

    private static func failure(_ error: POSIXError) -> CommandFault {
        let advice = error.isDenied ? "; run this as root, or as the user who owns the file" : ""
        return CommandFault(.failed, "\(error)\(advice). No key was lost; run this again")
    }
}
