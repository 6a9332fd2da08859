package import Gatehouse
import POSIX
import SQLite

extension SQLiteStore: OperatorStore {
    package func users(_ query: UserQuery) throws(StoreFailure) -> [UserRecord] {
        try reading { connection throws(SQLiteError) in try connection.users(query) }
    }

    package func users(called name: String) throws(StoreFailure) -> [FoundUser] {
        try reading { connection throws(SQLiteError) in try connection.users(called: name) }
    }

    package func disable(_ id: UserID, noting event: AuditEvent) throws(StoreFailure) -> Bool {
        try writing { connection throws(SQLiteError) in
            guard try connection.setStatus(.disabled, of: id, from: .active, now: event.moment) else { return false }
            _ = try connection.revokeAll(of: id, for: .userDisabled, now: event.moment)
            try connection.insert(event)
            return true
        }
    }

    package func enable(_ id: UserID, noting event: AuditEvent) throws(StoreFailure) -> Bool {
        try writing { connection throws(SQLiteError) in
            let hadBarred = try connection.unbar(id)
            let wasDisabled = try connection.setStatus(.active, of: id, from: .disabled, now: event.moment)
            guard wasDisabled || hadBarred else { return false }
            try connection.insert(event)
            return true
        }
    }

    package func setRole(_ role: Role, of id: UserID, noting event: AuditEvent) throws(StoreFailure) -> Bool {
        try writing { connection throws(SQLiteError) in
            guard try connection.setRole(role, of: id, now: event.moment) else { return false }
            try connection.insert(event)
            return true
        }
    }

    package func auditEvents(_ query: AuditQuery) throws(StoreFailure) -> [AuditEvent] {
        try reading { connection throws(SQLiteError) in try connection.auditEvents(query) }
    }

    package func signRevocation() { sign?.increment() }
}
