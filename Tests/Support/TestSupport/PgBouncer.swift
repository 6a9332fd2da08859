import Foundation

/// PgBouncer with transaction pooling, in front of one session of the server.
package final class PgBouncer {
    private let folder: TemporaryFolder
    private let process: ChildProcess
    package let url: String

    /// - Parameter database: its URL.
    package init(before database: String, on server: TemporaryPostgreSQL) throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o777)
        let name = try server.execute("SELECT current_database()", in: database)
        let settings = """
            [databases]
            \(name) = host=\(server.folder) port=\(server.port) user=postgres
            [pgbouncer]
            pool_mode = transaction
            default_pool_size = 1
            auth_type = any
            listen_addr =
            unix_socket_dir = \(folder.path)
            """
        try settings.write(toFile: folder.file("pgbouncer.ini"), atomically: true, encoding: .utf8)
        process = try ChildProcess(
            TemporaryPostgreSQL.asServer(["pgbouncer", folder.file("pgbouncer.ini")]), environment: [:],
            log: folder.file("log"))
        let url = "postgresql:///\(name)?host=\(folder.path)&port=6432&user=postgres"
        self.url = url
        // The file of the socket is there before PgBouncer listens.
        guard Eventually.holds({ (try? server.execute("SELECT 1", in: url)) == "1" }) else {
            throw Spawn.Failure(description: "PgBouncer did not start: \(process.log)")
        }
    }
}
