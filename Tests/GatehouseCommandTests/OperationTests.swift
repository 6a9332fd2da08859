import Foundation
import TestSupport
import Testing

@Suite("gatehouse serve, check, migrate and fake-apple")
struct OperationTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    @Test("a database is migrated once, and is up to date from then on")
    func migrateTwice() throws {
        let database = ["DATABASE_URL": "sqlite:" + tool.folder.file("x.db")]
        let first = try tool.run(["migrate"], database)
        #expect(first.status == 0)
        #expect(first.text.hasPrefix("applied: "))
        let second = try tool.run(["migrate"], database)
        #expect(second.status == 0)
        #expect(second.text == "up to date\n")
    }

    @Test("a database that cannot be migrated is a failure, a setting that names none is wrong usage")
    func migrateNothing() throws {
        let garbage = try tool.file("garbage.db", String(repeating: "garbage ", count: 2000))
        for path in [garbage, "/nowhere/at/all.db", tool.folder.path] {
            let outcome = try tool.run(["migrate"], ["DATABASE_URL": "sqlite:" + path])
            #expect(outcome.status == 3, "\(path)")
            #expect(outcome.text.isEmpty && !outcome.complaint.isEmpty)
        }
        let outcome = try tool.run(["migrate"], ["DATABASE_URL": "mysql://user:hunter2@db/x"])
        #expect(outcome.status == 2)
        #expect(outcome.complaint.contains("DATABASE_URL") && !outcome.complaint.contains("hunter2"))
    }

    @Test("a check looks at everything, and says what is good as well as what is not")
    func check() throws {
        let apple = try tool.start(["fake-apple", "--port", "0", "--keys", tool.folder.file("apple")], [:])
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains("http://") })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        let settings = tool.settings(["APPLE_JWKS_URL": "\(address)/auth/keys"])

        let before = try tool.run(["check"], settings)
        #expect(before.status == 1)
        #expect(before.text.contains("FAULT  database") && before.text.contains("ok     Apple's keys"))
        #expect(try tool.run(["migrate"], settings).status == 0)
        let good = try tool.run(["check"], settings)
        #expect(good.status == 0)
        #expect(
            good.text.hasPrefix(
                "ok     configuration\nok     database\nok     Apple's keys\nnote   without APPLE_TEAM_ID"))
        let known = try tool.run(["check"], settings.merging(credentials()) { $1 })
        #expect(known.status == 0)
        #expect(known.text.hasSuffix("\nok     Apple's keys\nok     Apple's credentials\n"))

        for (path, fault) in [("elsewhere", "does not answer with a key set"), ("mint", "without a usable key")] {
            let elsewhere = try tool.run(["check"], settings.merging(["APPLE_JWKS_URL": "\(address)/\(path)"]) { $1 })
            #expect(elsewhere.status == 1)
            #expect(elsewhere.text.contains("ok     database"))
            #expect(elsewhere.text.contains("FAULT  Apple's keys: APPLE_JWKS_URL"))
            #expect(elsewhere.text.contains(fault))
        }
    }

    @Test("a check says of when the keys are that logins have if Apple is down")
    func checkKeptKeys() throws {
        let apple = try tool.start(["fake-apple", "--port", "0", "--keys", tool.folder.file("apple")], [:])
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains("http://") })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        let settings = tool.settings(["APPLE_JWKS_URL": "\(address)/auth/keys"])
        let server = try tool.start(["serve"], settings)
        #expect(Eventually.holds { server.log.contains(#""event":"apple_keys""#) })
        server.signal(SIGTERM)
        #expect(server.wait() == 0)
        let note = /note   the last good set of Apple's keys was fetched at 20\S+Z\n/
        #expect(try tool.run(["check"], settings).text.contains(note))
        apple.stop()
        let down = try tool.run(["check"], settings)
        #expect(down.status == 1)
        #expect(down.text.contains("FAULT  Apple's keys") && down.text.contains(note))
    }

    /// What Apple's servers would know us by: a key and a secret that the program has made itself.
    private func credentials() throws -> [String: String] {
        [
            "APPLE_TEAM_ID": "DEF123GHIJ", "APPLE_KEY_ID": "ABC123DEFG",
            "APPLE_PRIVATE_KEY": try tool.run("keys", "generate").text,
            "DATA_KEY": String(try tool.run("keys", "generate", "--alg", "HS256").text.dropLast()),
        ]
    }

    @Test("credentials with Apple that are no good stop a check, and no part of them is shown")
    func checkCredentials() throws {
        let changes = try credentials().merging(["APPLE_KEY_ID": "hunter2 hunter2"]) { $1 }
        let outcome = try tool.run(["check"], tool.settings(changes))
        #expect(outcome.status == 2)
        #expect(outcome.complaint.contains("  APPLE_KEY_ID "))
        for value in changes.values { #expect(!outcome.everything.contains(value)) }
    }

    @Test("a broken database and a key server that is not there are both told of")
    func checkBroken() throws {
        let garbage = try tool.file("garbage.db", String(repeating: "garbage ", count: 2000))
        let outcome = try tool.run(["check"], tool.settings(["DATABASE_URL": "sqlite:" + garbage]))
        #expect(outcome.status == 1)
        #expect(outcome.text.contains("FAULT  database") && outcome.text.contains("FAULT  Apple's keys"))
        for secret in Tool.secrets.values { #expect(!outcome.everything.contains(secret)) }
    }

    @Test("a development secret in production is noted and does no harm")
    func checkNotes() throws {
        let outcome = try tool.run(["check"], tool.settings(["DEV_LOGIN_SECRET": "hunter2-hunter2"]))
        #expect(outcome.text.contains("note   DEV_LOGIN_SECRET is ignored"))
        #expect(!outcome.everything.contains("hunter2"))
    }

    @Test(
        "a configuration that is not usable stops the start at once, with all its faults",
        arguments: ["serve", "check"])
    func badConfiguration(command: String) throws {
        let settings = [
            "JWT_ACCESS_SECRET": "hunter2", "WORKERS": "many", "LISTEN": "here", "ACCESS_TOKEN_TTL": "soon",
            "DATABASE_URL": "sqlite:" + tool.folder.file("x.db"),
        ]
        let outcome = try tool.run([command], settings, seconds: 5)
        #expect(outcome.status == 2)
        for name in [
            "JWT_ACCESS_SECRET", "JWT_REFRESH_SECRET", "WORKERS", "LISTEN", "ACCESS_TOKEN_TTL", "APPLE_BUNDLE_ID",
        ] {
            #expect(outcome.complaint.contains("  \(name) "))
        }
        #expect(!outcome.everything.contains("hunter2"))
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("x.db")), "nothing was begun")
    }

    @Test("serving ends well when asked to, and leaves no socket behind", arguments: [SIGTERM, SIGINT])
    func serve(signal: Int32) throws {
        let server = try tool.start(["serve"], tool.settings())
        #expect(Eventually.holds { server.log.contains(#""event":"listening""#) })
        server.signal(signal)
        #expect(server.wait() == 0)
        #expect(server.log.contains(#""event":"stopped""#))
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("s")))
        for secret in Tool.secrets.values { #expect(!server.log.contains(secret)) }
    }

    @Test("a server that cannot have its database or its socket fails, and says which")
    func cannotServe() throws {
        for (name, value) in [("DATABASE_URL", "sqlite:/nowhere/at/all.db"), ("LISTEN", "unix:/nowhere/at/all.sock")] {
            let outcome = try tool.run(["serve"], tool.settings([name: value]), seconds: 10)
            #expect(outcome.status == 3, "\(name)")
            #expect(!outcome.complaint.isEmpty)
        }
    }

    @Test("the fake Apple has no business in production", arguments: ["APP_ENV", "NODE_ENV"])
    func fakeAppleInProduction(variable: String) throws {
        for command in [["fake-apple", "--port", "0"], ["fake-apple", "mint"]] {
            let outcome = try tool.run(
                command + ["--keys", tool.folder.file("apple")], [variable: "production"], seconds: 5)
            #expect(outcome.status == 2)
            #expect(outcome.text.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: tool.folder.file("apple")), "no key was made")
        }
    }

    @Test("an order to mint that cannot be read is wrong usage")
    func wrongOrders() throws {
        for words in [["--claim", "x"], ["--claim", "=1"], ["--header", "x"], ["--at", "noon"]] {
            let outcome = try tool.run(["fake-apple", "mint", "--keys", tool.folder.file("apple")] + words)
            #expect(outcome.status == 2, "\(words)")
            #expect(outcome.text.isEmpty)
        }
        #expect(try tool.run("fake-apple", "--port", "65536", "--keys", tool.folder.file("apple")).status == 2)
    }
}
