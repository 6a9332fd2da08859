package import Gatehouse
import PostgreSQL
import SQL

extension PostgreSQLStore {
    /// Held while a node does what one node at a time should do.
    private static let maintenanceLock: Int64 = 0x6761_7465_686F_7573

    /// By one node at a time: a step of another one would find the same rows.
    package func purge(_ limits: PurgeLimits) throws(Refusal) -> Bool {
        do {
            return try pool.use { connection in
                try connection.transaction { connection in
                    let isOurs = try connection.first(
                        "SELECT pg_try_advisory_xact_lock(?)", .integer(Self.maintenanceLock)
                    ) { $0.integer(0) != 0 }
                    return isOurs == true ? try removeExpired(limits) : false
                }
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw .storageUnavailable(failure(error))
        }
    }
}

extension PostgreSQLStore: ProbedStore {
    package var lastWrite: WriteOutcome? { lastOutcome.outcome }
}

extension PostgreSQLStore: ServerStore {}
