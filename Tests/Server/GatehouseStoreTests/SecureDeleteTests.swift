import Foundation
import Gatehouse
import GatehouseStore
import SQL
import SQLite
import StoreSupport
import TestSupport
import Testing

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
                let event = AuditEvent(.userDeleted, at: SampleLogin.noon, userID: UserID("user_\(number)"))
                _ = try store.delete(UserID("user_\(number)"), queueing: nil, recording: event)
            }
            let event = AuditEvent(.userDeleted, at: SampleLogin.noon, userID: user.id)
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
