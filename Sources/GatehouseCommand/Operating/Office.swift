import Gatehouse
import GatehouseServer
import GatehouseStore

/// Where operators' commands do their work: the database, as its owner, beside a server that may be running.
struct Office {
    private let steward: Steward

    /// Opens the database that `DATABASE_URL` names. None is made, and none is migrated.
    init() throws(CommandFault) {
        let owner = try DatabaseOwner.ofConfigured()
        try owner.takeOver()
        do {
            steward = Steward(
                store: try SQLiteStore(besideServerAt: owner.path), now: World.real.now,
                operatorName: owner.operatorName)
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
        guard let user = found.first else {
            throw CommandFault(.no, "no user has the id or the address \(name.printable)")
        }
        guard found.count == 1, user.isProven else { throw CommandFault(.no, Self.choice(among: found, called: name)) }
        return user.record
    }

    /// An address that no provider has confirmed may be that of another person: only the operator can decide.
    private static func choice(among users: [FoundUser], called name: String) -> String {
        let rows = users.map { user in
            let record = user.record
            let isVerified = user.isProven ? "yes" : "no"
            return [record.user.id.text, isVerified, record.providers.listed, record.user.createdAt.description]
        }
        let table = Table(rows, under: ["ID", "VERIFIED", "PROVIDERS", "CREATED"])
        let reason =
            users.count == 1
            ? "no provider has verified that the address \(name.printable) belongs to this user"
            : "\(users.count) users have the address \(name.printable)"
        return "\(reason); name the user by the id:\n\(table.text)"
    }
}
