import Gatehouse
import GatehouseStore
import StoreSupport
import TestSupport
import Testing

@Suite("Summaries of users")
struct UserSummaryTests {
    private let database: TestDatabase
    private let store: any OperatorStore

    init() throws {
        database = try TestDatabase()
        store = try database.store()
    }

    private func create(_ number: Int) throws -> User {
        let user = SampleLogin.user(number, nickname: "User \(number)")
        #expect(
            try store.create(
                user, with: SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("s\(number)"))))
        return user
    }

    @Test("a user has the times of the last login and of the last change")
    func times() throws {
        let user = try create(1)
        #expect(
            try store.summaries(of: [user.id])
                == [UserSummary(user: user, updatedAt: user.createdAt, lastLoginAt: user.createdAt)])
        let later = user.createdAt + .seconds(60)
        let changed = try #require(try store.update(user.id, ProfileChange(nickname: "New"), now: later))
        #expect(
            try store.summaries(of: [user.id])
                == [UserSummary(user: changed, updatedAt: later, lastLoginAt: user.createdAt)])
    }

    @Test("unknown users are left out, and an empty list has none")
    func unknown() throws {
        let users = try (1...3).map { try create($0) }
        let asked = [users[2].id, UserID("user_unknown"), UserID(""), users[0].id]
        #expect(Set(try store.summaries(of: asked).map(\.user.id)) == [users[0].id, users[2].id])
        #expect(try store.summaries(of: []) == [])
        #expect(try store.summaries(of: [UserID("'; --")]) == [])
    }

    @Test("concurrent readers each get their own users")
    func concurrent() throws {
        let users = try (0..<8).map { try create($0) }
        let found = try Concurrently.run(64) { [store] index in
            let asked = (0...(index % 8)).map { users[$0].id }
            let read = try store.summaries(of: asked).map(\.user).sorted { $0.id.text < $1.id.text }
            return read == Array(users[0...(index % 8)])
        }
        #expect(found.allSatisfy { $0 })
    }
}
