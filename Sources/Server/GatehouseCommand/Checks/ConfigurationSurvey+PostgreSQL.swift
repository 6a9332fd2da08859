import FileSystem
import GatehouseServer
import GatehouseStore

extension ConfigurationSurvey {
    /// Nil if the database is a file, or if DATABASE_URL has a fault.
    var postgreSQL: PostgreSQLSettings? {
        guard case .postgresql(let url)? = database else { return nil }
        return PostgreSQLSettings(url: url, connections: databaseConnections ?? PostgreSQLSettings.standardConnections)
    }

    /// Whether DATABASE_URL holds a secret.
    var hasDatabasePassword: Bool {
        if case .postgresql(let url)? = database { PostgreSQLSettings.hasPassword(url) } else { false }
    }

    /// The configuration file, if it has the password of the database and all users can read it.
    var fileWithOpenPassword: String? {
        guard hasDatabasePassword,
            case .configurationFile(let path)? = source.origin(of: Settings.table.process.database.name),
            let status = FileStatus.ifAny(at: path), status.isOpenToOthers
        else { return nil }
        return path
    }
}
