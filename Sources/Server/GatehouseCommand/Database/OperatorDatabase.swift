import CommandLineTool
import Gatehouse
import GatehouseServer
import GatehouseStore

/// The database for the commands of operators: opened as its owner, while a server may be running.
struct OperatorDatabase {
    private let administration: Administration

    /// Opens the database that `DATABASE_URL` names. It must exist, and is not migrated.
    init() throws(CommandError) {
        let place = try ConfiguredDatabase.read()
        do {
            administration = Administration(
                store: try place.store(), now: Primitives.system.now, operatorName: place.operatorName)
        } catch let error as CommandError {
            throw error
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    /// Runs a use case. A failure of the store exits 3, never 1.
    func perform<Answer>(_ task: (Administration) throws -> Answer) throws(CommandError) -> Answer {
        do {
            return try task(administration)
        } catch Refusal.storageUnavailable(let failure) {
            throw CommandError(.failed, failure.description)
        } catch {
            throw CommandError(.failed, "\(error)")
        }
    }

    /// The one user with this id or address.
    func user(named name: String) throws(CommandError) -> UserRecord {
        let found = try perform { administration in try administration.users(called: name) }
        guard let user = found.first else {
            throw CommandError(.no, "no user has the id or address \(name.printable)")
        }
        guard found.count == 1, user.isProven else { throw CommandError(.no, Self.ambiguity(found, named: name)) }
        return user.record
    }

    /// Asks the operator for the id: an address that no provider has verified may belong to another person.
    private static func ambiguity(_ users: [FoundUser], named name: String) -> String {
        let rows = users.map { user in
            let record = user.record
            let isVerified = user.isProven ? "yes" : "no"
            return [record.user.id.text, isVerified, record.providers.listed, record.user.createdAt.description]
        }
        let table = Table(rows, under: ["ID", "VERIFIED", "PROVIDERS", "CREATED"])
        let reason =
            users.count == 1
            ? "no provider has verified the address \(name.printable) of this user"
            : "\(users.count) users have the address \(name.printable)"
        return "\(reason); use the id of the user:\n\(table.text)"
    }
}
