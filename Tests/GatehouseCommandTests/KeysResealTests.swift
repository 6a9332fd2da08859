import Foundation
import Gatehouse
import GatehouseServer
import GatehouseStore
import GatehouseTokens
import JOSE
import JSON
import SQLite
import TestSupport
import Testing

@testable import GatehouseCommand

@Suite("gatehouse keys reseal")
struct KeysResealTests {
    private static let owner = UserID("user_01")

    private var stand: KeyStand
    private var database: String { stand.tool.folder.file("gatehouse.db") }

    init() throws {
        stand = try KeyStand()
        _ = try SQLiteFile(path: stand.tool.folder.file("gatehouse.db")).migrate()
        chmod(stand.tool.folder.file("gatehouse.db"), 0o600)
    }

    private func vault(_ text: String) throws -> DataVault {
        DataVault(key: try DataKey(try #require(DataKey.bytes(written: text))))
    }

    /// Accounts and tasks whose values a key has sealed.
    private func add(_ count: Int, as mark: String, sealedBy text: String) throws {
        let (vault, connection) = (try vault(text), try Connection(path: database, access: .readWrite))
        try connection.execute(script: "BEGIN")
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
        try connection.execute(script: "COMMIT")
    }

    /// Whether every value is of a key, and says what it should.
    private func isAll(sealedBy text: String, count: Int) throws -> Bool {
        let (vault, connection) = (try vault(text), try Connection(path: database, access: .readOnly))
        let values = try connection.all(
            """
            SELECT user_id, refresh_token FROM auth_accounts WHERE refresh_token IS NOT NULL
            UNION ALL SELECT user_id, secret FROM apple_tasks
            """
        ) { row in (UserID(row.text(0)), row.blob(1)) }
        return values.count == count && values.allSatisfy { vault.open($1, for: $0) == "token of \($0.text)" }
    }

    private func check() throws -> String { try stand.tool.run(["check", "--offline"], stand.environment).text }

    @Test("after three rotations seals everything with the current key, which alone is needed then")
    func threeRotations() throws {
        for number in 0..<3 {
            try add(60, as: "\(number)", sealedBy: stand.text("data_key"))
            #expect(try stand.keys("rotate", "data_key").status == 0)
        }
        #expect(try check().contains(/note   sealed data +360 values are sealed with a previous DATA_KEY/))
        let early = try stand.keys("retire", "data_key", "--yes")
        #expect(
            early.status == 0 && early.text.matches(of: /stays, it has sealed 120 values/).count == 3,
            "\(early.everything)")
        let outcome = try stand.keys("reseal")
        #expect(outcome.status == 0, "\(outcome.everything)")
        #expect(outcome.text.contains("180 tokens of accounts, 180 waiting for Apple"))
        #expect(outcome.text.contains("gatehouse keys retire data_key"))
        #expect(try isAll(sealedBy: stand.text("data_key"), count: 360))
        #expect(try check().contains(/note   sealed data +no value needs DATA_KEY_PREVIOUS any more/))
        let unasked = try stand.keys("retire", "data_key")
        #expect(unasked.status == 2 && stand.list("data_key").entries.count == 3, "\(unasked.everything)")
        #expect(try stand.keys("retire", "data_key", "--yes").status == 0)
        #expect(stand.list("data_key").entries.isEmpty)
        #expect(try check().contains(/ok     sealed data +360 values, all with the current DATA_KEY/))
        #expect(try stand.keys("reseal").text.contains(" 0 tokens of accounts, 0 waiting"), "there is nothing to do")
    }

    @Test("killed at any write is finished by another run")
    func killed() throws {
        try add(120, as: "a", sealedBy: stand.text("data_key"))
        _ = try stand.keys("rotate", "data_key")
        for count in [1, 3, 7, 12] {
            #expect(try stand.keys("reseal", through: Killing.at("pwrite64", count)).status == 137)
        }
        #expect(try stand.keys("reseal").status == 0)
        #expect(try isAll(sealedBy: stand.text("data_key"), count: 240))
    }

    @Test("counts what no key opens, and removes it when told to; then the fault is over")
    func lost() throws {
        let (lost, known) = (try stand.tool.run("keys", "generate", "--alg", "HS256").text, stand.text("data_key"))
        try add(2, as: "lost", sealedBy: lost.trimmingCharacters(in: .newlines))
        try add(3, as: "known", sealedBy: known)
        let found = try check()
        #expect(found.contains(/FAULT  sealed data +4 values are sealed with a key that no setting has/), "\(found)")
        #expect(found.contains("gatehouse keys reseal --discard"))
        let outcome = try stand.keys("reseal", "--json")
        #expect(outcome.status == 1)
        let json = try #require(try JSONValue(parsing: outcome.output).object)
        #expect(json.names == ["resealed", "unopened", "discarded", "keys"])
        #expect(json["unopened"] == 4 && json["discarded"] == false)
        let states = json["keys"]?.array?.compactMap { $0.object?["state"]?.string }
        #expect(Set(states ?? []) == ["current", "unknown"])
        let unasked = try stand.keys("reseal", "--discard")
        #expect(unasked.status == 2 && unasked.complaint.contains("--yes"))
        let discarded = try stand.keys("reseal", "--discard", "--yes")
        #expect(discarded.status == 0 && discarded.text.contains("2 tokens of accounts, 2 waiting for Apple"))
        #expect(try isAll(sealedBy: known, count: 6))
        #expect(try check().contains("ok     sealed data"))
        #expect(!outcome.everything.contains("token of") && !discarded.everything.contains(known))
    }

    /// Has the database keep one key of identity hashes.
    private func keepHashKey(sealedBy secret: String) throws {
        let ring = try KeyRing(secret: Array(secret.utf8))
        let document = try #require(IdentityHashes().document(replacing: [], sealedBy: ring))
        let store = try SQLiteStore(path: database)
        try store.keep(
            Document(content: document, updatedAt: Timestamp(seconds: 0)), as: DocumentName.identityHashKeys)
    }

    @Test("a refresh secret that is removed after its rotation and a restart costs no identity hash")
    func stolenRefreshSecret() throws {
        try keepHashKey(sealedBy: stand.text("jwt_refresh_secret"))
        #expect(try stand.keys("rotate", "jwt_refresh_secret").status == 0)
        let server = try stand.tool.start(["serve"], stand.environment)
        defer { server.stop() }
        #expect(Eventually.holds { server.log.contains("\"listening\"") })
        try FileManager.default.removeItem(atPath: stand.file("jwt_refresh_secret_previous"))
        #expect(try stand.keys("reseal", "--dry-run").status == 0)
    }

    @Test("seals the keys of the identity hashes with the current refresh secret, and can drop those that are lost")
    func hashKeys() throws {
        try keepHashKey(sealedBy: stand.text("jwt_refresh_secret"))
        _ = try stand.keys("rotate", "jwt_refresh_secret")
        #expect(try stand.keys("reseal").status == 0)
        try FileManager.default.removeItem(atPath: stand.file("jwt_refresh_secret_previous"))
        #expect(try check().contains("ok     sealed data"))
        try keepHashKey(sealedBy: "a-lost-refresh-secret-of-the-tests-0123456789")
        #expect(try check().contains(/FAULT  sealed data +1 keys of identity hashes/))
        #expect(try stand.keys("reseal").status == 1)
        let counted = try stand.keys("reseal", "--dry-run")
        #expect(counted.status == 1 && counted.text.contains("opens 1 keys of identity"), "\(counted.everything)")
        #expect(try stand.keys("reseal", "--discard", "--yes").status == 0)
        #expect(try stand.keys("reseal", "--dry-run").status == 0)
        #expect(try check().contains("ok     sealed data"))
    }

    @Test("does not begin beside a server that still seals with the old key, nor does retiring")
    func oldServer() throws {
        let server = try stand.tool.start(["serve"], stand.environment)
        defer { server.stop() }
        #expect(Eventually.holds { server.log.contains("\"listening\"") })
        try add(1, as: "a", sealedBy: stand.text("data_key"))
        _ = try stand.keys("rotate", "data_key")
        let outcome = try stand.keys("reseal")
        #expect(
            outcome.status == 1 && outcome.complaint.contains("still seals with the old data_key"),
            "\(outcome.everything)")
        let retired = try stand.keys("retire", "data_key", "--yes")
        #expect(retired.text.contains("is what the running server works with"), "\(retired.everything)")
        #expect(stand.list("data_key").entries.count == 1)
        try FileManager.default.removeItem(atPath: stand.file("data_key_previous"))
        _ = try stand.keys("rotate", "jwt_refresh_secret")
        let second = try stand.keys("reseal")
        #expect(second.status == 1 && second.complaint.contains("the old jwt_refresh_secret"), "\(second.everything)")
    }

    @Test("without DATA_KEY, discarding removes no value")
    func discardWithoutKey() throws {
        let key = stand.text("data_key")
        try add(2, as: "a", sealedBy: key)
        try FileManager.default.removeItem(atPath: stand.file("data_key"))
        let outcome = try stand.keys("reseal", "--discard", "--yes")
        #expect(
            outcome.status == 2 && outcome.complaint.contains("DATA_KEY is not set: --discard would remove every"),
            "\(outcome.everything)")
        #expect(try isAll(sealedBy: key, count: 4))
    }

    @Test("before it removes values, a terminal is shown how many")
    func question() throws {
        let lost = try stand.tool.run("keys", "generate", "--alg", "HS256").text
        try add(2, as: "lost", sealedBy: lost.trimmingCharacters(in: .newlines))
        let words = ["keys", "reseal", "--discard"]
        let outcome = try PseudoTerminal().run(words, stand.environment, answering: "no")
        #expect(outcome.complaint.contains("2 tokens of accounts, 2 waiting for Apple"), "\(outcome.everything)")
        #expect(outcome.status == 1 && outcome.complaint.contains("nothing was removed"))
        #expect(try check().contains("FAULT  sealed data"))
        #expect(try PseudoTerminal().run(words, stand.environment, answering: "yes").status == 0)
        #expect(try check().contains("ok     sealed data"))
    }

    @Test("counts of a report are by the keys' ids, and a report that lacks one is none")
    func report() {
        let key = #"{"id":"0a1b2c3d","state":"previous","values":2}"#
        #expect(SealedCounts.counts(in: Array(#"{"keys":[\#(key),\#(key)]}"#.utf8)) == ["0a1b2c3d": 4])
        for text in ["", "{}", #"{"keys":[{"values":2}]}"#, #"{"keys":[{"id":"0a1b2c3d"}]}"#, #"{"keys":[1]}"#] {
            #expect(SealedCounts.counts(in: Array(text.utf8)) == nil)
        }
    }

    @Test(
        "the check tells what to do by what it counts",
        arguments: [
            (.init(), .ok, "nothing is sealed"), (.init(current: 3), .ok, "3 values"),
            (.init(current: 3, previous: 1), .note, "1 values are sealed with a previous"),
            (.init(current: 3, hasPreviousKeys: true), .note, "no value needs DATA_KEY_PREVIOUS"),
            (.init(previous: 1, unknown: 2), .fault, "2 values are sealed with a key that no setting has"),
            (.init(current: 1, unopenedHashKeys: 1), .fault, "1 keys of identity hashes"),
        ] as [(SealedDataCheck.Facts, Finding.Grade, String)])
    func judgement(facts: SealedDataCheck.Facts, grade: Finding.Grade, message: String) {
        let findings = SealedDataCheck(path: "x", vault: nil, refreshKeys: nil).judge(facts)
        #expect(findings.map(\.grade) == [grade] && findings[0].message.hasPrefix(message), "\(findings)")
    }
}
