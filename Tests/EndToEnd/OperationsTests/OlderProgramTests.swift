import Foundation
import JSON
import StandIn
import StoreSupport
import TestSupport
import Testing

@testable import ServerSupport

/// Databases that programs of earlier states have made, with `make-older-database.py`: after the first migrations of PostgreSQL,
/// with codes, and with events. Each is migrated in one step by the start of today's server.
@Suite("A database of an earlier program")
struct OlderProgramTests {
    /// What its clients have, and what waited when its server ended.
    private struct Facts: Decodable {
        struct Lost: Decodable {
            let token: String
            let successor: String
        }
        struct Code: Decodable {
            let id: String
            let text: String
        }
        /// In seconds since 1970.
        let madeAt: Int64
        let confirmed: String
        let apple: String
        let lost: Lost
        let code: Code?
        let deleted: String
        let waiting: [String: Int64]
    }

    private let apple: FakeAppleServer
    private let receiver: EventReceiverProcess
    private let folder: TemporaryFolder
    private let clock: WrongClock

    init() throws {
        folder = try TemporaryFolder()
        apple = try FakeAppleServer(in: folder)
        receiver = try EventReceiverProcess()
        clock = try WrongClock()
    }

    /// A server of today on the database, two minutes after the old one has ended: nothing that waits is too old yet.
    private func server(_ state: String) throws -> (server: ServerProcess, facts: Facts) {
        let path = "\(Executable.root)/Tests/Support/Released/Databases/\(state)-\(Worlds.database.rawValue)"
        let facts = try JSONDecoder().decode(Facts.self, from: Data(contentsOf: URL(fileURLWithPath: path + ".json")))
        let sql = try String(contentsOfFile: path + ".sql", encoding: .utf8)
        let error = facts.madeAt + 120 - Int64(Date().timeIntervalSince1970)
        let server = try ServerProcess { variables in
            clock.apply(to: &variables)
            variables.merge(apple.developerSettings) { $1 }
            variables["DATA_KEY"] = "b2xkZXItZGF0YWJhc2VzLWRhdGEta2V5LTMyLWJ5dGU"
            variables["EVENTS_URL"] = "http://127.0.0.1:\(receiver.port)/events"
            variables["EVENTS_SECRET"] = EventReceiverProcess.secret
            variables["SMS_URL"] = "http://127.0.0.1:1/"
            variables["SMS_SECRET"] = WebhookKeys.usualSecret
            variables["PHONE_COUNTRIES"] = "GB"
            do {
                let database = TestDatabase(url: variables["DATABASE_URL"] ?? "")
                try database.execute(sql)
                try setClocks(of: database, aheadBy: error)
            } catch { Issue.record(error) }
        }
        return (server, facts)
    }

    /// The server's, and the database's where it has one.
    private func setClocks(of database: TestDatabase, aheadBy error: Int64) throws {
        try clock.set(aheadBy: error)
        guard TestDatabase.isOnServer else { return }
        try database.execute(
            """
            CREATE OR REPLACE FUNCTION public.gatehouse_now() RETURNS BIGINT LANGUAGE sql VOLATILE
            AS $$ SELECT floor(extract(epoch FROM clock_timestamp()) * 1000 + \(error * 1000))::bigint $$
            """)
    }

    @Test(
        "nobody is signed out, and nothing that waits is lost: tasks for Apple, events and codes",
        arguments: ["first", "codes", "events"])
    func upgraded(state: String) throws {
        let (server, facts) = try server(state)
        for table in facts.waiting.keys { #expect(try server.count(table) <= facts.waiting[table] ?? 0) }
        for token in [facts.confirmed, facts.apple] {
            let tokens = try server.refresh(token)
            #expect(tokens.status == 200 && tokens["refreshToken"]?.string != token, "\(tokens.json)")
            #expect(try server.me(tokens.accessToken).status == 200)
        }
        #expect(
            try server.refresh(facts.lost.token)["refreshToken"]?.string == facts.lost.successor,
            "an answer that was lost is repeated byte for byte")
        if let code = facts.code {
            let login = try server.send(.post("/api/auth/codes/\(code.id)", ["code": .string(code.text)]))
            #expect(login.status == 200 && login["isNewUser"] == true, "\(login.json)")
        }
        if let events = facts.waiting["events"] {
            #expect(try Eventually.holds { try receiver.deliveries().acceptedIDs.count >= events })
            let types = try receiver.deliveries().filter { $0.user == facts.deleted }.map(\.type)
            #expect(types == ["user.created", "user.deleted"], "in their order")
        }
        // Apple refuses what a server with another time has signed, so the task waits until the clock is right.
        #expect(facts.waiting["apple_tasks"] == 1)
        try setClocks(of: server.testDatabase, aheadBy: 0)
        #expect(Eventually.holds(within: 120) { (try? server.count("apple_tasks")) == 0 }, "\(server.process.log)")
        #expect(apple.service.requests.contains { $0.path == "/auth/revoke" && $0.status == 200 })
    }
}
