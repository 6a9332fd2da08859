import Gatehouse
import GatehouseServer
import GatehouseStore

extension Catalog {
    /// On a database file with the server's settings, so that each write is synced to the disk.
    static let storage = [
        Entry(name: "store: read user") { folder in
            let store = try Sample.store(in: folder)
            let user = try Logins(store).signUp()
            return repeating { try store.user(user.id) }
        },
        Entry(name: "store: login of a known user") { folder in
            let logins = Logins(try Sample.store(in: folder))
            let user = try logins.signUp()
            return repeating { try logins.logIn(user) }
        },
        Entry(name: "store: login of a new user") { folder in
            let logins = Logins(try Sample.store(in: folder))
            return repeating { try logins.signUp() }
        },
        Entry(name: "store: refresh") { folder in
            let store = try Sample.store(in: folder)
            let logins = Logins(store)
            let id = try logins.logIn(logins.signUp()).id
            return repeating {
                let found = try store.refresh(id, now: Sample.now) { session, _ in
                    let next = Sample.token(generation: session.token.generation + 1)
                    return .advance(session.advanced(to: next, in: Sample.chain, from: session.device), token: "")
                }
                guard found?.decision.written != nil else { throw BenchmarkFault("the session was not advanced") }
            }
        },
    ]
}
