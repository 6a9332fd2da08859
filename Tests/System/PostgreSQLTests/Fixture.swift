import PostgreSQL
import SQL
import TestSupport

/// A new database, and connections to it.
struct Fixture {
    let server: TemporaryPostgreSQL
    let url: String

    init(_ server: TemporaryPostgreSQL? = nil) throws {
        self.server = try server ?? TemporaryPostgreSQL.shared.get()
        url = try self.server.database()
    }

    func connect(_ options: ConnectionOptions = ConnectionOptions()) throws -> Connection {
        try Connection(to: url, options)
    }

    /// The URL with other hosts before the one of the database.
    func url(after hosts: [String]) throws -> String {
        let name = try server.execute("SELECT current_database()", in: url)
        let socket = server.folder.split(separator: "/").map { "%2F" + $0 }.joined() + ":\(server.port)"
        return "postgresql://postgres@" + (hosts + [socket]).joined(separator: ",") + "/" + name
    }

    /// A connection to a database with the table `things (id BIGINT PRIMARY KEY, name TEXT NOT NULL)`.
    func connectWithTable(_ options: ConnectionOptions = ConnectionOptions()) throws -> Connection {
        let connection = try connect(options)
        try connection.run("CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT NOT NULL)")
        return connection
    }
}

extension Connection {
    func integer(_ sql: String) throws(PostgreSQLError) -> Int64? { try first(sql) { $0.integer(0) } }

    func integer(_ sql: String, _ value: Value) throws(PostgreSQLError) -> Int64? {
        try first(sql, value) { $0.integer(0) }
    }
}

/// The error that `body` throws.
func failure(_ body: () throws -> Void) -> PostgreSQLError? {
    do {
        try body()
        return nil
    } catch {
        return error as? PostgreSQLError
    }
}
