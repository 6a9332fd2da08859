import Foundation
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JOSE
import JSON
import SQL
import StoreSupport
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse keys reseal")
struct KeysResealTests {
    private static let owner = UserID("user_01")

    private var fixture: KeyFixture
    private let database: TestDatabase

    init() throws {
        fixture = try KeyFixture()
        let file = fixture.tool.folder.file("gatehouse.db")
        database = try TestDatabase(file: file)
        fixture.environment["DATABASE_URL"] = database.url
        _ = try database.store()
        chmod(file, 0o600)
    }

    private func vault(_ text: String) throws -> DataVault {
        DataVault(key: try DataKey(try #require(DataKey.bytes(written: text))))
    }

    /// Creates accounts and tasks with values that a key has sealed.
    private func add(_ count: Int, as mark: String, sealedBy text: String) throws {
        let (vault, connection) = (try vault(text), try database.connection())
        try connection.executeScript("BEGIN")
        for number in 0..<count {
            let user = UserID("user_\(mark)\(number)")
            try connection.run(
                "INSERT INTO users (id, created_at, updated_at) VALUES (?, 0, 0)", .text(user.text))
            try connection.run(
                """
                INSERT INTO auth_accounts (id, user_id, provider, provider_user_id, created_at, updated_at, refresh_token)
                VALUES (?, ?, 'APPLE', ?, 0, 0, ?)
                """,
                .text("acct_\(mark)\(number)"), .text(user.text), .text("\(mark)\(number)"),
                .blob(vault.seal("token of \(user.text)", for: user)))
            try connection.run(
                "INSERT INTO apple_tasks (kind, user_id, client_id, secret, due_at) VALUES ('revoke', ?, 'c', ?, 0)",
                .text(user.text), .blob(vault.seal("token of \(user.text)", for: user)))
        }
        try connection.executeScript("COMMIT")
    }

    /// Whether every value is sealed with this key, and opens to the right text.
    private func isAll(sealedBy text: String, count: Int) throws -> Bool {
        let (vault, connection) = (try vault(text), try database.connection())
        let values = try connection.all(
            """
            SELECT user_id, refresh_token FROM auth_accounts WHERE refresh_token IS NOT NULL
            UNION ALL SELECT user_id, secret FROM apple_tasks
            """
        ) { row in (UserID(row.text(0)), row.blob(1)) }
        return values.count == count && values.allSatisfy { vault.open($1, for: $0) == "token of \($0.text)" }
    }

    private func check() throws -> String { try fixture.tool.run(["check", "--offline"], fixture.environment).text }

    @Test("after three rotations, seals everything with the current key, so that no other is needed")
    func threeRotations() throws {
        for number in 0..<3 {
            try add(60, as: "\(number)", sealedBy: fixture.text("data_key"))
            try fixture.keys("rotate", "data_key").expect(0)
        }
        #expect(try check().contains(/note   sealed data +360 values are sealed with a previous DATA_KEY/))
        let early = try fixture.keys("retire", "data_key", "--yes")
        #expect(
            early.status == 0 && early.text.matches(of: /kept, it has sealed 120 values/).count == 3,
            "\(early.everything)")
        let outcome = try fixture.keys("reseal")
        outcome.expect(0)
        #expect(outcome.text.contains("180 tokens of accounts, 180 tasks for Apple"))
        #expect(outcome.text.contains("gatehouse keys retire data_key"))
        #expect(try isAll(sealedBy: fixture.text("data_key"), count: 360))
        #expect(try check().contains(/note   sealed data +no value needs DATA_KEY_PREVIOUS any more/))
        let unasked = try fixture.keys("retire", "data_key")
        #expect(unasked.status == 2 && fixture.list("data_key").entries.count == 3, "\(unasked.everything)")
        try fixture.keys("retire", "data_key", "--yes").expect(0)
        #expect(fixture.list("data_key").entries.isEmpty)
        #expect(try check().contains(/ok     sealed data +360 values, all sealed with the current DATA_KEY/))
        #expect(try fixture.keys("reseal").text.contains(" 0 tokens of accounts, 0 tasks"), "there is nothing to do")
    }

    @Test("after a kill at any write, another run finishes")
    func killed() throws {
        try add(120, as: "a", sealedBy: fixture.text("data_key"))
        _ = try fixture.keys("rotate", "data_key")
        let call = TestDatabase.isOnServer ? "sendto" : "pwrite64"
        for count in [1, 3, 7, 12] {
            #expect(try fixture.keys("reseal", through: Killing.at(call, count)).status == 137)
        }
        try fixture.keys("reseal").expect(0)
        #expect(try isAll(sealedBy: fixture.text("data_key"), count: 240))
    }

    @Test("counts values that no key opens, and removes them with --discard")
    func lost() throws {
        let (lost, known) = (try fixture.tool.run("keys", "generate", "--alg", "HS256").text, fixture.text("data_key"))
        try add(2, as: "lost", sealedBy: lost.trimmingCharacters(in: .newlines))
        try add(3, as: "known", sealedBy: known)
        let found = try check()
        #expect(found.contains(/FAULT  sealed data +4 values are sealed with an unknown key/), "\(found)")
        #expect(found.contains("gatehouse keys reseal --discard"))
        let outcome = try fixture.keys("reseal", "--json")
        #expect(outcome.status == 1)
        let json = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(json.names == ["resealed", "unopened", "discarded", "keys"])
        #expect(json["unopened"] == 4 && json["discarded"] == false)
        let states = json["keys"]?.array?.compactMap { $0.object?["state"]?.string }
        #expect(Set(states ?? []) == ["current", "unknown"])
        try fixture.keys("reseal", "--discard").expect(2, saying: "--yes")
        let discarded = try fixture.keys("reseal", "--discard", "--yes")
        discarded.expect(0, printing: "2 tokens of accounts, 2 tasks for Apple")
        #expect(try isAll(sealedBy: known, count: 6))
        #expect(try check().contains("ok     sealed data"))
        #expect(!outcome.everything.contains("token of") && !discarded.everything.contains(known))
    }

    /// Stores a key of identity hashes in the database.
    private func keepHashKey(sealedBy secret: String) throws {
        let ring = try KeyRing(secret: Array(secret.utf8))
        let document = try #require(IdentityHashes().document(replacing: [], sealedBy: ring))
        let store = try database.store()
        try store.keep(
            Document(content: document, updatedAt: Timestamp(seconds: 0)), as: DocumentName.identityHashKeys)
    }

    @Test("removing a refresh secret after its rotation and a restart loses no identity hash")
    func stolenRefreshSecret() throws {
        try keepHashKey(sealedBy: fixture.text("jwt_refresh_secret"))
        try fixture.keys("rotate", "jwt_refresh_secret").expect(0)
        let server = try fixture.tool.start(["serve"], fixture.environment)
        defer { server.stop() }
        #expect(Eventually.holds { server.log.contains("\"listening\"") })
        try FileManager.default.removeItem(atPath: fixture.file("jwt_refresh_secret_previous"))
        try fixture.keys("reseal", "--dry-run").expect(0)
    }

    @Test("seals the keys of the identity hashes with the current refresh secret, and can remove lost ones")
    func hashKeys() throws {
        try keepHashKey(sealedBy: fixture.text("jwt_refresh_secret"))
        _ = try fixture.keys("rotate", "jwt_refresh_secret")
        try fixture.keys("reseal").expect(0)
        try FileManager.default.removeItem(atPath: fixture.file("jwt_refresh_secret_previous"))
        #expect(try check().contains("ok     sealed data"))
        try keepHashKey(sealedBy: "a-lost-refresh-secret-of-the-tests-0123456789")
        #expect(try check().contains(/FAULT  sealed data +1 keys of identity hashes/))
        try fixture.keys("reseal").expect(1)
        try fixture.keys("reseal", "--dry-run").expect(1, printing: "1 keys of identity hashes are opened by no secret")
        try fixture.keys("reseal", "--discard", "--yes").expect(0)
        try fixture.keys("reseal", "--dry-run").expect(0)
        #expect(try check().contains("ok     sealed data"))
    }

    @Test("a refresh secret that is replaced as stolen fits the database")
    func stolenSecretFits() throws {
        try keepHashKey(sealedBy: fixture.text("jwt_refresh_secret"))
        try fixture.keys("rotate", "jwt_refresh_secret", "--stolen", "--yes").expect(0)
        #expect(try check().contains("1 keys of identity hashes"), "the old one is kept")
        let server = try fixture.tool.start(["serve"], fixture.environment)
        defer { server.stop() }
        #expect(Eventually.holds { server.log.contains("\"listening\"") }, "\(server.log)")
    }

    @Test("refuses to run beside a server that still seals with the old key, as does keys retire")
    func oldServer() throws {
        let server = try fixture.tool.start(["serve"], fixture.environment)
        defer { server.stop() }
        #expect(Eventually.holds { server.log.contains("\"listening\"") })
        try add(1, as: "a", sealedBy: fixture.text("data_key"))
        _ = try fixture.keys("rotate", "data_key")
        try fixture.keys("reseal").expect(1, saying: "still seals with the old data_key")
        let retired = try fixture.keys("retire", "data_key", "--yes")
        #expect(retired.text.contains("is in use by the running server"), "\(retired.everything)")
        #expect(fixture.list("data_key").entries.count == 1)
        try FileManager.default.removeItem(atPath: fixture.file("data_key_previous"))
        _ = try fixture.keys("rotate", "jwt_refresh_secret")
        try fixture.keys("reseal").expect(1, saying: "the old jwt_refresh_secret")
    }

    @Test("without DATA_KEY, --discard removes no value")
    func discardWithoutKey() throws {
        let key = fixture.text("data_key")
        try add(2, as: "a", sealedBy: key)
        try FileManager.default.removeItem(atPath: fixture.file("data_key"))
        let outcome = try fixture.keys("reseal", "--discard", "--yes")
        outcome.expect(2, saying: "DATA_KEY is not set: --discard would remove every")
        #expect(try isAll(sealedBy: key, count: 4))
    }

    @Test("asks on a terminal before it removes values, with their number")
    func question() throws {
        let lost = try fixture.tool.run("keys", "generate", "--alg", "HS256").text
        try add(2, as: "lost", sealedBy: lost.trimmingCharacters(in: .newlines))
        let words = ["keys", "reseal", "--discard"]
        let outcome = try PseudoTerminal().run(words, fixture.environment, answering: "no")
        #expect(outcome.errorOutput.contains("2 tokens of accounts, 2 tasks for Apple"), "\(outcome.everything)")
        outcome.expect(1, saying: "nothing was removed")
        #expect(try check().contains("FAULT  sealed data"))
        try PseudoTerminal().run(words, fixture.environment, answering: "yes").expect(0)
        #expect(try check().contains("ok     sealed data"))
    }

    @Test("a report counts by key id, and an incomplete report is rejected")
    func report() {
        let key = #"{"id":"0a1b2c3d","state":"previous","values":2}"#
        #expect(SealedCounts.counts(in: Array(#"{"keys":[\#(key),\#(key)]}"#.utf8)) == ["0a1b2c3d": 4])
        for text in ["", "{}", #"{"keys":[{"values":2}]}"#, #"{"keys":[{"id":"0a1b2c3d"}]}"#, #"{"keys":[1]}"#] {
            #expect(SealedCounts.counts(in: Array(text.utf8)) == nil)
        }
    }

    @Test(
        "the check's advice depends on the counts",
        arguments: [
            (.init(), .ok, "no value is sealed"), (.init(current: 3), .ok, "3 values"),
            (.init(current: 3, previous: 1), .note, "1 values are sealed with a previous"),
            (.init(current: 3, hasPreviousKeys: true), .note, "no value needs DATA_KEY_PREVIOUS"),
            (.init(previous: 1, unknown: 2), .fault, "2 values are sealed with an unknown key"),
            (.init(current: 1, unopenedHashKeys: 1), .fault, "1 keys of identity hashes"),
        ] as [(SealedDataCheck.Facts, Finding.Grade, String)])
    func judgement(facts: SealedDataCheck.Facts, grade: Finding.Grade, message: String) {
        let findings = SealedDataCheck(database: nil, vault: nil, refreshKeys: nil).evaluate(facts)
        #expect(findings.map(\.grade) == [grade] && findings[0].message.hasPrefix(message), "\(findings)")
    }
}
