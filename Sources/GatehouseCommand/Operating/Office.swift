import Gatehouse
import GatehouseServer
import GatehouseStore

/// Where operators' commands do their work: the database, beside a server that may be running.
struct Office {
    private let steward: Steward

    /// Opens the database that `DATABASE_URL` names. None is made, and none is migrated.
    init() throws(CommandFault) {
        let path = try DatabasePath.configured()
        do {
            steward = Steward(store: try SQLiteStore(besideServerAt: path), now: World.real.now)
        } catch {
            throw CommandFault(.failed, "\(error)")
        }
    }

    /// Has something done. What could not be done is a failure, and never a "no".
    func ask<Answer>(_ task: (Steward) throws(StoreFailure) -> Answer) throws(CommandFault) -> Answer {
        do { return try task(steward) } catch {
            throw CommandFault(.failed, error.description)
        }
    }

    /// The one user with this id or address.
    func user(called name: String) throws(CommandFault) -> UserRecord {
        let found = try ask { steward throws(StoreFailure) in try steward.users(called: name) }
        guard found.count < 2 else { throw CommandFault(.no, Self.choice(among: found, called: name)) }
        guard let user = found.first else {
            throw CommandFault(.no, "no user has the id or the address \(name.printable)")
        }
        return user
    }

    private static func choice(among users: [UserRecord], called name: String) -> String {
        let rows = users.map { [$0.user.id.text, $0.providers.listed, $0.user.createdAt.description] }
        let table = Table(rows, under: ["ID", "PROVIDERS", "CREATED"])
        return "\(users.count) users have the address \(name.printable); say which by the id:\n\(table.text)"
    }
}
