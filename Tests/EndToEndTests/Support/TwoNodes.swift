import StoreSupport
import TestSupport

/// Two nodes on one PostgreSQL database, whatever database the other tests of this process use.
struct TwoNodes: Sendable {
    let first: FastCGIInstallation
    let second: FastCGIInstallation
    var database: TestDatabase { first.testDatabase }

    init(_ adjust: (inout [String: String]) -> Void = { _ in }) throws {
        let url = try TemporaryPostgreSQL.shared.get().database()
        first = try FastCGIInstallation { variables in
            variables["DATABASE_URL"] = url
            adjust(&variables)
        }
        second = try FastCGIInstallation(beside: first)
    }

    /// The nodes in turn.
    subscript(index: Int) -> FastCGIInstallation { index.isMultiple(of: 2) ? first : second }

    /// From now on a node learns what the other one ends only by reading the log.
    func dropNotifications() throws { try database.execute("DROP TRIGGER revocation_announced ON revocations") }
}
