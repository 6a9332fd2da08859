import Foundation
import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

@Suite("The size of the database")
struct DatabaseSizeTests {
    private static let population = 256

    private let folder: TemporaryFolder
    private let store: SQLiteStore
    private let reader: Connection

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteStore(path: folder.file("g.db"))
        reader = try Connection(path: folder.file("g.db"), access: .readOnly)
    }

    private static func token(generation: Int64) -> SessionToken {
        SessionToken(
            generation: generation, random: [UInt8](repeating: UInt8(generation), count: SessionToken.randomBytes),
            issuedAt: SampleLogin.noon + .seconds(generation),
            expiresAt: SampleLogin.noon + .seconds(86_400 + generation),
            hash: [UInt8](repeating: UInt8(generation), count: 32))
    }

    /// Performs an operation for every session on 16 threads, and expects it to succeed for each.
    private func forAll(_ work: @escaping @Sendable (SQLiteStore, _ number: Int) throws -> Bool) throws {
        let share = Self.population / 16
        let worked = try Concurrently.run(16) { [store] thread in
            try (thread * share..<(thread + 1) * share).allSatisfy { try work(store, $0) }
        }
        #expect(worked == Array(repeating: true, count: 16))
    }

    private func refreshAll(to generation: Int64) throws {
        try forAll { store, number in
            let id = SessionID("sess_\(number)")
            guard try store.session(id)?.session.token.generation == generation - 1 else { return false }
            return try store.advance(id, to: Self.token(generation: generation), now: SampleLogin.noon)
        }
    }

    private func pages() throws -> Int64? { try reader.first("PRAGMA page_count") { $0.integer(0) } }

    @Test("refreshes do not grow the database, and the log stays short")
    func stays() throws {
        try forAll { store, number in
            let user = SampleLogin.user(number)
            return try store.create(
                user, with: SampleLogin.login("\(number)", of: user, as: SampleLogin.identity("s\(number)")))
        }
        // The first refresh adds the hash of the previous token to each row, and the second one makes it full length.
        for generation in 2...3 as ClosedRange<Int64> { try refreshAll(to: generation) }
        let before = try #require(try pages())
        #expect(before > 20)
        for generation in 4...24 as ClosedRange<Int64> { try refreshAll(to: generation) }
        #expect(try pages() == before)
        // SQLite restarts the log each time it has a thousand pages.
        let log = try FileManager.default.attributesOfItem(atPath: folder.file("g.db-wal"))[.size] as? Int ?? 0
        #expect(log > 0 && log < 8 << 20)
    }
}

@Suite("Secure deletion of users")
struct SecureDeleteTests {
    @Test("no personal data of a deleted user remains in the database file")
    func bytes() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("g.db")
        let words = ["ann@example.com", "Ann of the Test", "subject-of-ann", "App/1"]
        try {
            let store = try SQLiteStore(path: path)
            let user = SampleLogin.user(1, email: words[0], nickname: words[1])
            let identity = SampleLogin.identity(words[2], email: words[0])
            #expect(try store.create(user, with: SampleLogin.login("1", of: user, as: identity)))
            // Rows of other users, so that the pages are not freed as a whole.
            for number in 2..<50 {
                let other = SampleLogin.user(number)
                let login = SampleLogin.login("\(number)", of: other, as: SampleLogin.identity("s\(number)"))
                _ = try store.create(other, with: login)
            }
            try checkpoint(path)
            for word in words { #expect(contains(path, word), "\(word) is stored before") }
            for number in 2..<50 {
                let event = AuditEntry(.userDeleted, at: SampleLogin.noon, userID: UserID("user_\(number)"))
                _ = try store.delete(UserID("user_\(number)"), queueing: nil, recording: event)
            }
            let event = AuditEntry(.userDeleted, at: SampleLogin.noon, userID: user.id)
            #expect(try store.delete(user.id, queueing: nil, recording: event) != nil)
            try checkpoint(path)
        }()
        for word in words { #expect(!contains(path, word), "\(word)") }
    }

    private func checkpoint(_ path: String) throws {
        _ = try Connection(path: path, access: .readWrite).first("PRAGMA wal_checkpoint(TRUNCATE)") { $0.integer(0) }
    }

    private func contains(_ path: String, _ word: String) -> Bool {
        FileManager.default.contents(atPath: path)?.range(of: Data(word.utf8)) != nil
    }
}
