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
        #expect(first.status == 0)
        #expect(first.text.hasPrefix("applied: "))
        let second = try tool.run(["migrate"], database)
        #expect(second.status == 0)
        #expect(second.text == "up to date\n")
    }

    @Test("migrate exits 3 for an unusable database, and 2 for an unusable DATABASE_URL")
    func migrateNothing() throws {
        let garbage = try tool.file("garbage.db", String(repeating: "garbage ", count: 2000))
        for path in [garbage, "/nowhere/at/all.db", tool.folder.path] {
            let outcome = try tool.run(["migrate"], ["DATABASE_URL": "sqlite:" + path])
            #expect(outcome.status == 3, "\(path)")
            #expect(outcome.text.isEmpty && !outcome.errorOutput.isEmpty)
        }
        let outcome = try tool.run(["migrate"], ["DATABASE_URL": "mysql://user:hunter2@db/x"])
        #expect(outcome.status == 2)
        #expect(outcome.errorOutput.contains("DATABASE_URL") && !outcome.errorOutput.contains("hunter2"))
    }

    @Test("check reports the age of the stored keys, which logins use while Apple is down")
    func checkKeptKeys() throws {
        let apple = try tool.startFakeApple()
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
        #expect(down.status == 1)
        #expect(down.text.contains("FAULT  Apple's keys") && down.text.contains(note))
    }

    @Test("a development secret in production is noted and has no effect")
    func checkNotes() throws {
        let outcome = try tool.run(["check"], tool.settings(["DEV_LOGIN_SECRET": "hunter2-hunter2"]))
        #expect(outcome.text.contains(/note   configuration +DEV_LOGIN_SECRET is ignored/))
        #expect(!outcome.everything.contains("hunter2"))
    }

    @Test("a secret that is accepted beside the signing key is noted, with advice")
    func secretBesideKey() throws {
        let outcome = try tool.run(["check"], tool.settings(["ACCESS_SIGNING_KEY": PEMFixtures.p256]))
        let note = #/note   configuration +JWT_ACCESS_SECRET is set beside ACCESS_SIGNING_KEY: .*remove it once/#
        #expect(outcome.text.contains(note), "\(outcome.text)")
    }

    @Test("white space does not enable the development login", arguments: ["production ", "\tPRODUCTION"])
    func whiteSpace(node: String) throws {
        let settings = ["APP_ENV": " development", "NODE_ENV": node, "DEV_LOGIN_SECRET": "hunter2-hunter2-hunter2"]
        let outcome = try tool.run(["check"], tool.settings(settings))
        #expect(outcome.text.contains(/note   configuration +DEV_LOGIN_SECRET is ignored/), "\(outcome.everything)")
    }

    @Test("placeholders for secrets prevent the start, each by name", arguments: ["serve", "check"])
    func placeholders(command: String) throws {
        let weak = [
            "JWT_ACCESS_SECRET": String(repeating: "hunter2", count: 6), "DEV_LOGIN_SECRET": "hunter2-hunter2",
            "JWT_REFRESH_SECRET": String(repeating: "0", count: 64), "DATA_KEY": String(repeating: "A", count: 43),
        ]
        let settings = tool.settings(weak.merging(["APP_ENV": "development "]) { $1 })
        let outcome = try tool.run([command], settings, seconds: 60)
        #expect(outcome.status == 2)
        for name in weak.keys { #expect(outcome.everything.contains(name + " is "), "\(outcome.everything)") }
        #expect(outcome.everything.contains("DEV_LOGIN_SECRET is too short: it needs at least 16 bytes"))
        #expect(!outcome.everything.contains("hunter2") && !outcome.everything.contains("AAAA"))
    }

    @Test(
        "an unusable configuration prevents the start, with all faults",
        arguments: ["serve", "check"])
    func badConfiguration(command: String) throws {
        let settings = [
            "JWT_ACCESS_SECRET": "hunter2", "WORKERS": "many", "LISTEN": "here", "ACCESS_TOKEN_TTL": "soon",
            "DATABASE_URL": "sqlite:" + tool.folder.file("x.db"),
        ]
        let outcome = try tool.run([command], settings, seconds: 60)
        #expect(outcome.status == 2)
        for name in [
            "JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET", "WORKERS", "LISTEN", "ACCESS_TOKEN_TTL", "APPLE_BUNDLE_ID",
        ] {
            let start = command == "serve" ? #""event":"fatal","command":"serve","fault":""# : "  "
            #expect(outcome.everything.contains("\(start)\(name) "), "\(outcome.everything)")
        }
        #expect(!outcome.everything.contains("hunter2"))
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("x.db")), "nothing was begun")
    }

    @Test("serve ends on a signal, and removes its socket", arguments: [SIGTERM, SIGINT])
    func serve(signal: Int32) throws {
        let server = try tool.start(["serve"], tool.settings())
        #expect(Eventually.holds { server.log.contains(#""event":"listening""#) })
        server.signal(signal)
        #expect(server.wait() == 0)
        #expect(server.log.contains(#""event":"stopped""#))
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("s")))
        for secret in Tool.secrets.values { #expect(!server.log.contains(secret)) }
    }

    @Test("serve fails without its database or its socket, and names it")
    func cannotServe() throws {
        for (name, value) in [("DATABASE_URL", "sqlite:/nowhere/at/all.db"), ("LISTEN", "unix:/nowhere/at/all.sock")] {
            let outcome = try tool.run(["serve"], tool.settings([name: value]), seconds: 60)
            #expect(outcome.status == 3, "\(name)")
            #expect(!outcome.errorOutput.isEmpty)
        }
    }
}
