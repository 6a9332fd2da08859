import StoreSupport
import TestSupport

/// Two nodes on one PostgreSQL database, whatever database the other tests of this process use.
struct TwoNodes: Sendable {
    let first: ServerProcess
    let second: ServerProcess
    /// With the rights of a superuser.
    let database: TestDatabase
    /// The owner of the database, and the user of the nodes; nil for the superuser.
    let user: String?

    /// - Parameters:
    ///   - server: the server of all tests, unless the test disturbs it.
    ///   - user: is created.
    init(
        on server: TemporaryPostgreSQL? = nil, user: String? = nil,
        _ adjust: (inout [String: String]) -> Void = { _ in }
    ) throws {
        let server = try server ?? TemporaryPostgreSQL.shared.get()
        let url = try server.database()
        let name = try server.execute("SELECT current_database()", in: url)
        if let user {
            try server.execute("CREATE ROLE \(user) LOGIN")
            try server.execute("ALTER DATABASE \(name) OWNER TO \(user)")
        }
        first = try ServerProcess { variables in
            variables["DATABASE_URL"] = user.map { server.url(of: name, user: $0) } ?? url
            adjust(&variables)
        }
        second = try ServerProcess(beside: first)
        database = TestDatabase(url: url)
        self.user = user
    }

    /// The nodes in turn.
    subscript(index: Int) -> ServerProcess { index.isMultiple(of: 2) ? first : second }

    /// From now on a node learns of sessions that the other one ends only by reading the log.
    func dropNotifications() throws { try database.execute("DROP TRIGGER revocation_announced ON revocations") }
}
