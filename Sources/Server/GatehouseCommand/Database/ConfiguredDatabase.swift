import CommandLineTool
import FileSystem
import Gatehouse
import GatehouseServer
import GatehouseStore

/// The database that `DATABASE_URL` names, for commands.
enum ConfiguredDatabase {
    /// A file, which a command opens as its owner.
    case file(DatabaseOwner)
    /// A server. It authenticates the command by a password or a certificate, also when root runs the command.
    case server(PostgreSQLSettings)

    static func read() throws(CommandError) -> ConfiguredDatabase {
        let address = try readSettings { () throws(SettingFaults) in try Configuration.database(from: .current()) }
        switch address {
        case .sqlite(let path): return .file(try DatabaseOwner(of: path))
        case .postgresql(let url): return .server(PostgreSQLSettings(url: url, connections: 2))
        }
    }

    /// The caller of the command, for the audit trail.
    var operatorName: String {
        switch self {
        case .file(let owner): owner.operatorName
        case .server: OperatorName(UserDatabase.ofThisMachine()).text
        }
    }

    /// For reading only. A file is opened as the current user.
    func examined() throws -> any ExaminedDatabase {
        switch self {
        case .file(let owner): return SQLiteFile(path: owner.path)
        case .server(let settings): return try PostgreSQLServer(settings)
        }
    }

    /// Opens the store beside the servers that use it. Gives up root if the database is another user's file.
    func store() throws -> any ServerStore {
        switch self {
        case .file(let owner):
            try owner.giveUpRoot()
            return try SQLiteStore(besideServerAt: owner.path)
        case .server(let settings): return try PostgreSQLStore(besideServersOf: settings)
        }
    }
}
