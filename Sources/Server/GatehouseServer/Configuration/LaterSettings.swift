import FileSystem
import Gatehouse
package import GatehouseStore
import Processes

/// A name in a file of settings that this program does not know. It is never shown: it may be part of a secret.
struct UnknownName: Sendable, Equatable {
    let name: String
    /// The setting that it may be a misspelling of; nil if it resembles none.
    let meant: String?
}

/// Which unknown names are passed over, as settings of a later version that has used the database. Without that, the program
/// of the version before would not start with them.
package struct LaterSettings: Sendable {
    let passes: @Sendable (UnknownName) -> Bool
    /// The names that are no secret, because a program knows them.
    private var names: Set<String> = []
    /// Whether there is a warning about each name that is passed over.
    private var warns = false

    static let none = LaterSettings { _ in false }
    static let any = LaterSettings { _ in true }

    private init(passes: @escaping @Sendable (UnknownName) -> Bool) { self.passes = passes }

    /// For a command that reads these settings alone: a line that cannot mean one of them does not matter.
    init(besides rows: [any SettingRow]) {
        let names = SettingNames(of: rows).known
        let others = SettingNames.ofServer.known.subtracting(names)
        self.init { $0.meant.map(others.contains) ?? true }
    }

    /// By the names that the programs of other versions have left in the database. A later one that has migrated it, and did not
    /// get as far as to leave its names, may know any name that is no misspelling. A name that this program knows is in the wrong
    /// file, which stays a fault: another version does not use it there either.
    package init(of database: any ExaminedDatabase) throws {
        let names = Self.names(in: try database.document(DocumentName.settingNames)).subtracting(Self.own)
        let isMigrated =
            switch try database.schema() {
            case .newer, .newerButUsable: true
            default: false
            }
        self.init {
            let name = $0.name.withoutFileSuffix
            return names.contains(name) || (isMigrated && $0.meant == nil && !Self.own.contains(name))
        }
        (self.names, warns) = (names, true)
    }

    /// Nil if there is no database yet, and for root, who opens no file of another user.
    init?(asking address: DatabaseAddress, as environment: AppEnvironment) throws {
        switch address {
        case .sqlite(let path):
            guard !File.isMissing(path), try Self.mayOpen(path, as: environment) else { return nil }
            try self.init(of: SQLiteFile(path: path))
        case .postgresql(let url): try self.init(of: PostgreSQLServer(PostgreSQLSettings(url: url, connections: 1)))
        }
    }

    private static func mayOpen(_ path: String, as environment: AppEnvironment) throws -> Bool {
        guard Privileges.isRoot else { return true }
        do { return try PathOwner.ofFile(at: path).isRoot } catch .isOpen where environment == .development {
            return true
        }
    }

    /// What is told of a line that is passed over; nil if this is not one of them.
    package func warning(about fault: SettingFault) -> String? {
        guard warns, let unknown = fault.unknown, passes(unknown) else { return nil }
        let setting = names.contains(unknown.name.withoutFileSuffix) ? unknown.name : "an unknown setting"
        return "\(fault.name) sets \(setting), which this version ignores: another version, which has used the "
            + "database, knows it"
    }
}

// MARK: - The names in the database

extension LaterSettings {
    private static let own = Set((Settings.all + ProviderSettings.all + ReceiverSettings.all).map(\.name))

    private static func names(in document: Document?) -> Set<String> {
        Set((document?.content ?? []).split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) })
    }

    /// Adds the names that this program knows. None is ever removed: of a setting that goes, `SettingNames.misplaced` says
    /// what to do.
    static func keepNames(in store: any ServerStore, now: Timestamp) throws(StoreFailure) {
        while true {
            let kept = try store.document(DocumentName.settingNames)
            let known = names(in: kept)
            guard !own.isSubset(of: known) else { return }
            let text = known.union(own).sorted().joined(separator: "\n")
            let document = Document(content: Array(text.utf8), updatedAt: now)
            // Another node may have added its own names meanwhile.
            if try store.keep(document, as: DocumentName.settingNames, replacing: kept?.content) { return }
        }
    }
}

extension String {
    fileprivate var withoutFileSuffix: String {
        hasSuffix(Settings.fileSuffix) ? String(dropLast(Settings.fileSuffix.count)) : self
    }
}
