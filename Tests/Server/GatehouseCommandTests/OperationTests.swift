import Foundation
import TestSupport
import Testing

@Suite("gatehouse serve, check and migrate")
struct OperationTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    @Test("migrate updates a database once")
    func migrateTwice() throws {
        let database = ["DATABASE_URL": "sqlite:" + tool.folder.file("x.db")]
        let first = try tool.run(["migrate"], database)
        #expect(first.status == 0 && first.text.hasPrefix("applied: "))
        let second = try tool.run(["migrate"], database)
        #expect(second.status == 0 && second.text == "up to date\n")
    }

    @Test("migrate exits 3 for an unusable database, and 2 for an unusable DATABASE_URL")
    func migrateNothing() throws {
        let garbage = try tool.file("garbage.db", String(repeating: "garbage ", count: 2000))
        for path in [garbage, "/nowhere/at/all.db", tool.folder.path] {
            let outcome = try tool.run(["migrate"], ["DATABASE_URL": "sqlite:" + path])
            #expect(outcome.status == 3 && outcome.text.isEmpty && !outcome.errorOutput.isEmpty, "\(path)")
        }
        let outcome = try tool.run(["migrate"], ["DATABASE_URL": "mysql://user:hunter2@db/x"])
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("DATABASE_URL") && !outcome.errorOutput.contains("hunter2"))
    }

    @Test("check reports the age of the stored keys, which logins use while Apple is down")
    func checkKeptKeys() throws {
        let apple = try tool.startStandIn()
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains("http://") })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        let settings = tool.settings(["APPLE_JWKS_URL": "\(address)/auth/keys"])
        let server = try tool.start(["serve"], settings)
        #expect(Eventually.holds { server.log.contains(#""event":"apple_keys""#) })
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let note = /note   Apple's keys +the stored key set was fetched at 20\S+Z\n/
        #expect(try tool.run(["check"], settings).text.contains(note))
        apple.stop()
        let down = try tool.run(["check"], settings)
        #expect(down.status == 1 && down.text.contains("FAULT  Apple's keys") && down.text.contains(note))
    }

    @Test("check notes what has no effect, or should be removed")
    func checkNotes() throws {
        let settings = ["DEV_LOGIN_SECRET": "hunter2-hunter2", "ACCESS_SIGNING_KEY": PEMFixtures.p256]
        let outcome = try tool.run(["check"], tool.settings(settings))
        #expect(outcome.text.contains(/note   configuration +DEV_LOGIN_SECRET is ignored/))
        #expect(outcome.text.contains(/note   configuration +JWT_ACCESS_SECRET is set beside ACCESS_SIGNING_KEY/))
        #expect(!outcome.everything.contains("hunter2"))
    }

    @Test("serve ends on a signal, and removes its socket", arguments: [SIGTERM, SIGINT])
    func serve(signal: Int32) throws {
        let server = try tool.start(["serve"], tool.settings())
        #expect(Eventually.holds { server.log.contains(#""event":"listening""#) })
        server.signal(signal)
        #expect(server.wait() == 0 && server.log.contains(#""event":"stopped""#))
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("s")))
        for secret in Tool.secrets.values { #expect(!server.log.contains(secret)) }
    }
}
