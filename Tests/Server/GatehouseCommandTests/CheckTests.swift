import CommandLineTool
import Foundation
import Gatehouse
import GatehouseStore
import JSON
import SQL
import SQLite
import TestSupport
import Testing

@testable import GatehouseCommand

/// `gatehouse check` with real faults.
@Suite("gatehouse check")
struct CheckTests {
    private let tool: Tool
    private var database: String { tool.folder.file("gatehouse.db") }

    init() throws {
        tool = try Tool()
        _ = try SQLiteFile(path: database).migrate()
        chmod(database, 0o600)
    }

    private func check(_ changes: [String: String] = [:], _ words: [String] = ["--offline"]) throws -> Shell.Outcome {
        try tool.run(["check"] + words, tool.settings(["APP_ENV": "development"].merging(changes) { $1 }))
    }

    /// Expects exactly one fault, with advice below it.
    private func expectFault(
        _ subject: String, _ message: Regex<some Any>, in outcome: Shell.Outcome,
        _ place: SourceLocation = #_sourceLocation
    ) {
        let lines = outcome.text.split(separator: "\n")
        let faults = lines.indices.filter { lines[$0].hasPrefix("FAULT") }
        #expect(outcome.status == 1, "\(outcome.everything)", sourceLocation: place)
        #expect(faults.count == 1, "\(outcome.text)", sourceLocation: place)
        guard let fault = faults.first else { return }
        #expect(lines[fault].hasPrefix("FAULT  " + subject), "\(lines[fault])", sourceLocation: place)
        #expect(lines[fault].contains(message), "\(lines[fault])", sourceLocation: place)
        #expect(lines[fault + 1].hasPrefix("       → "), "\(outcome.text)", sourceLocation: place)
    }

    @Test("tells the settings of a later version from unknown ones")
    func laterSettings() throws {
        let lines = tool.settings(["APP_ENV": "development"]).map { "\($0)=\($1)\n" }.joined() + "SHOE_SIZE=43\n"
        let settings = ["GATEHOUSE_CONFIG": try tool.file("gatehouse.conf", lines)]
        func run(_ words: String...) throws -> Shell.Outcome { try tool.run(words, settings) }
        let name = "gatehouse.conf:8 sets an unknown setting"
        try run("check", "--offline").expect(2, printing: "FAULT  unknown settings", name + "\n")
        try run("check", "--settings").expect(2, printing: name + "\n")
        // It cannot mean a setting that the command reads.
        try run("users", "list").expect(0)
        try FileManager.default.removeItem(atPath: database)
        try run("users", "list").expect(3, saying: "there is no database")
        if !FileManager.default.fileExists(atPath: "/var/lib/gatehouse/gatehouse.db") {
            let alone = ["GATEHOUSE_CONFIG": try tool.file("alone.conf", "SHOE_SIZE=43\n")]
            try tool.run(["users", "list"], alone).expect(2, saying: "alone.conf:1 sets an unknown setting")
        }
        _ = try SQLiteFile(path: database).migrate()
        chmod(database, 0o600)
        let connection = try Connection(path: database, access: .readWrite)
        try connection.run(
            "INSERT INTO documents (name, content, updated_at) VALUES ('setting_names', ?, 1)",
            .blob(Array("SHOE_SIZE".utf8)))
        let passed = "gatehouse.conf:8 sets SHOE_SIZE, which this version ignores"
        try run("check", "--offline").expect(0, printing: "note   unknown settings", passed, "ok     configuration")
        try run("check", "--settings").expect(0, printing: passed)
    }

    private func startApple(_ words: String...) throws -> (process: ChildProcess, address: String) {
        let apple = try tool.startStandIn(words, ["APPLE_BUNDLE_ID": "com.example.app"])
        #expect(Eventually.holds { apple.log.contains("http://") })
        return (apple, String(try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)))
    }

    private func credentials(at address: String, key: String = "DEVELOPER1") -> [String: String] {
        [
            "APPLE_JWKS_URL": address + "/auth/keys", "APPLE_TOKEN_URL": address + "/auth/token",
            "APPLE_REVOKE_URL": address + "/auth/revoke", "APPLE_TEAM_ID": "FAKEAPPLE1", "APPLE_KEY_ID": key,
            "APPLE_PRIVATE_KEY_FILE": tool.folder.file("apple/AuthKey_DEVELOPER1.p8"), "APP_ENV": "development",
            "DATA_KEY": "EIYk4Hap3db0PQ1sKREQ6z87uAL0AE6_lAihPZEolxM",
        ]
    }

    @Test("finds a test code whose user has a role")
    func testCodeWithRole() throws {
        let day = Date(timeIntervalSinceNow: 86_400).description.prefix(10)
        let codes = ["TEST_CODES": "+8613800138000=739154@\(day), ann@example.com=580263@\(day)"]
        let registry = Registry(tool: tool, store: try SQLiteStore(path: database))
        for (name, provider) in [("+8613800138000", Provider.phone), ("ann@example.com", .email)] {
            try registry.add(name, provider: provider)
        }
        try registry.add("admin", role: .admin)
        #expect(try check(codes).text.contains(/ok     test codes +none of their users has a role\n/))
        for user in ["user_+8613800138000", "user_ann@example.com"] {
            let connection = try Connection(path: database, access: .readWrite)
            try connection.execute(script: "UPDATE users SET role = 'ADMIN' WHERE id = '\(user)'")
            expectFault("test codes", /has the role ADMIN/, in: try check(codes))
            try connection.execute(script: "UPDATE users SET role = 'USER' WHERE id = '\(user)'")
        }
        #expect(try !check().text.contains("test codes"))
    }

    @Test("says so while the origin of proofs is not known")
    func proofOrigin() throws {
        let unknown = /note   proofs +the origin of this server is not known/
        #expect(try check(["PUBLIC_URL": "off"]).text.contains(unknown))
        #expect(try check(["PUBLIC_URL": "off", "TOKEN_ISSUER": "http://a.example"]).text.contains(unknown))
        for settings in [
            ["PUBLIC_URL": "off", "TOKEN_ISSUER": "https://a.example"], ["PUBLIC_URL": "https://a.example"],
        ] {
            #expect(try check(settings).text.contains(/ok     proofs .* https:\/\/a\.example\n/))
        }
    }

    @Test("finds no fault in a sound installation, whether the server runs or not")
    func well() throws {
        let (apple, address) = try startApple()
        defer { apple.stop() }
        let settings = credentials(at: address)
        let down = try check(settings, [])
        down.expect(0)
        for subject in ["configuration", "database", "integrity", "schema", "Apple's keys", "Apple's credentials"] {
            #expect(down.text.contains("ok     \(subject) "), "\(down.text)")
        }
        #expect(down.text.contains(/note   socket +no server listens/))
        let server = try ChildProcess(
            [Executable.gatehouse, "serve"], environment: tool.settings(settings), log: tool.folder.file("server"))
        defer { server.stop() }
        // The server is ready once it has Apple's keys.
        #expect(Eventually.holds { (try? check(settings, []).text.contains(/ok     server +ready\n/)) == true })
        let up = try check(settings, ["--json", "--deep"])
        up.expect(0)
        let report = try JSONValue(parsing: up.output).object ?? [:]
        #expect(report["ok"] == true)
        let states = (report["checks"]?.array ?? []).compactMap(\.object)
        for subject in ["integrity", "server"] {
            #expect(states.contains { $0["subject"]?.string == subject && $0["state"] == "ok" }, "\(subject)")
        }
        #expect(states.allSatisfy { $0["state"] != "fault" && $0["message"]?.string?.isEmpty == false })
        for secret in Tool.secrets.values { #expect(!up.everything.contains(secret)) }
    }

    @Test("exits 2 for an unusable configuration, and still checks the rest")
    func badConfiguration() throws {
        let outcome = try check(["WORKERS": "many", "JWT_ACCESS_SECRET": "Xshort", "LISTEN": "here"])
        #expect(outcome.status == 2)
        for fault in ["WORKERS must be", "JWT_ACCESS_SECRET is too short", "LISTEN must be"] {
            #expect(outcome.text.contains("FAULT  configuration") && outcome.text.contains(fault))
        }
        #expect(outcome.text.contains("ok     database") && outcome.text.contains("ok     schema"))
        #expect(!outcome.text.contains("limits") && !outcome.text.contains("socket"))
        #expect(!outcome.everything.contains("Xshort"))
        let blind = try check(["GATEHOUSE_CONFIG": tool.folder.file("missing")])
        #expect(blind.status == 2 && blind.text.contains("cannot be read") && !blind.text.contains("database"))
    }

    @Test("reports secrets and a database that other users can read")
    func openFiles() throws {
        let secret = try tool.file("secret", "a refresh secret that stands in a file of its own")
        chmod(secret, 0o644)
        chmod(tool.folder.path, 0o755)
        var settings = tool.settings(["JWT_REFRESH_SECRET_FILE": secret, "APP_ENV": "development"])
        settings["JWT_REFRESH_SECRET"] = nil
        let outcome = try tool.run(["check", "--offline"], settings)
        expectFault("configuration", /all users of this machine can read JWT_REFRESH_SECRET/, in: outcome)
        chmod(database, 0o644)
        expectFault("database", /other users can read .*: it is .* 0644/, in: try check())
        try FileManager.default.removeItem(atPath: database)
        expectFault("database", /the database .* does not exist/, in: try check())
        expectFault(
            "database", /the folder .* does not exist/, in: try check(["DATABASE_URL": "sqlite:/nowhere/at/all.db"]))
    }

    @Test("reports files of other users in the folder of the service", .enabled(if: getuid() == 0))
    func strangers() throws {
        for path in [tool.folder.path, database + "-lock"] { chown(path, 12_345, 12_345) }
        expectFault("database", /12345 cannot read and write .*gatehouse\.db: it is root:root 0600/, in: try check())
        // The check has created the log and its index, with the owner of the database.
        for name in ["", "-wal", "-shm"] { chown(database + name, 12_345, 12_345) }
        chown(database + "-lock", 0, 0)
        expectFault("database", /12345 cannot read and write .*gatehouse\.db-lock/, in: try check())
        chown(database + "-lock", 12_345, 12_345)
        #expect(try check().text.contains("owner 12345"))
        chown(database + "-wal", 0, 0)
        expectFault("database", /12345 cannot read and write .*gatehouse\.db-wal/, in: try check())
    }

    @Test("names what the user may not read, and does not report it as a fault", .enabled(if: getuid() == 0))
    func powerless() throws {
        chown(database, 12_345, 12_345)
        chown(tool.folder.path, 12_345, 12_345)
        chmod(tool.folder.path, 0o700)
        let secrets = try TemporaryFolder()
        chown(secrets.path, 12_345, 12_345)
        chmod(secrets.path, 0o700)
        var settings = tool.settings([
            "PATH": "/usr/bin:/bin", "CREDENTIALS_DIRECTORY": secrets.path, "APP_ENV": "development",
        ])
        for name in Tool.secrets.keys { settings[name] = nil }
        let powerless = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-setuid", Executable.gatehouse]
        let outcome = try Shell.outcome(of: powerless + ["check", "--offline"], environment: settings)
        let note = /note   configuration +not everything was checked: CREDENTIALS_DIRECTORY is closed/
        #expect(outcome.text.contains(note))
        let serve = try Shell.outcome(of: powerless + ["serve"], environment: settings)
        #expect(serve.status == 2)
        #expect(serve.errorOutput.split(separator: "\n").count == 1, "one fault: \(serve.errorOutput)")
        outcome.expect(0)
        for subject in ["database", "integrity", "schema", "socket"] {
            #expect(outcome.text.contains(try Regex("note   \(subject) +not checked")), "\(outcome.text)")
        }
    }

    @Test("reports a full disk", .enabled(if: getuid() == 0))
    func fullDisk() throws {
        let folder = tool.folder.file("small")
        let script = "mkdir $1 && mount -t tmpfs -o size=1m none $1 && cp $2 $1/gatehouse.db && exec $3 check --offline"
        let outcome = try Shell.outcome(
            of: ["unshare", "-m", "sh", "-c", script, "sh", folder, database, Executable.gatehouse],
            environment: tool.settings([
                "DATABASE_URL": "sqlite:\(folder)/gatehouse.db", "PATH": "/usr/bin:/bin", "APP_ENV": "development",
            ]))
        try #require(!outcome.errorOutput.contains("unshare"), "no tmpfs can be mounted here")
        expectFault("disk", /\d+ KiB free at .*small: writes will fail soon/, in: outcome)
    }

    @Test("reports a database that is damaged, missing or foreign")
    func damage() throws {
        let connection = try Connection(path: database, access: .readWrite)
        let page = try connection.first("SELECT rootpage FROM sqlite_schema WHERE name = 'users'") { $0.integer(0) }
        _ = connection
        let file = try #require(FileHandle(forUpdatingAtPath: database))
        try file.seek(toOffset: UInt64((page ?? 2) - 1) * 4096)
        try file.write(contentsOf: Data(repeating: 0xA5, count: 4096))
        try file.close()
        expectFault("integrity", /the database is damaged/, in: try check())
        let garbage = try tool.file("garbage.db", String(repeating: "garbage ", count: 2000))
        chmod(garbage, 0o600)
        expectFault("integrity", /file is not a database/, in: try check(["DATABASE_URL": "sqlite:" + garbage]))
        let other = tool.folder.file("other.db")
        try Connection(path: other, access: .readWrite).execute(script: "CREATE TABLE songs (name TEXT)")
        chmod(other, 0o600)
        expectFault("schema", /not one of Gatehouse/, in: try check(["DATABASE_URL": "sqlite:" + other]))
    }

    @Test("says how many users PHONE_BINDING=required shuts out")
    func phoneBinding() throws {
        let row = "'USER', 'ACTIVE', 0, 0, 0"
        try Connection(path: database, access: .readWrite).execute(
            script: """
                INSERT INTO users (id, role, status, created_at, updated_at, onboarding_completed) VALUES ('user_1', \(row)),
                    ('user_2', \(row)), ('user_3', 'USER', 'DISABLED', 0, 0, 0);
                UPDATE users SET phone = '+8613800138000' WHERE id = 'user_1'
                """)
        let secret = "whsec_" + Data(repeating: 7, count: 24).base64EncodedString()
        let settings = ["PHONE_BINDING": "required", "SMS_URL": "http://127.0.0.1:1/", "SMS_SECRET": secret]
        #expect(try check(settings).text.contains("PHONE_BINDING=required: 1 active users have no number"))
        #expect(!(try check(["SMS_URL": "http://127.0.0.1:1/", "SMS_SECRET": secret]).text.contains("active users")))
    }

    @Test("notes an older schema, which the server updates, and reports a newer one")
    func schema() throws {
        for (version, word) in [
            (SQLiteMigrator.latest - 1, /note   schema/), (SQLiteMigrator.latest + 1, /FAULT  schema/),
        ] {
            try Connection(path: database, access: .readWrite).execute(
                script: "UPDATE gatehouse_schema SET usable_by = \(version); PRAGMA user_version = \(version)")
            #expect(try check().text.contains(word))
        }
    }

    @Test("reports a clock that is behind the times in the database")
    func clock() throws {
        try Connection(path: database, access: .readWrite).execute(
            script: "INSERT INTO users (id, role, status, created_at, updated_at, onboarding_completed) "
                + "VALUES ('user_1', 'USER', 'ACTIVE', 9999999999999, 0, 0)")
        expectFault("clock", /the database has a time of 2286-11-20/, in: try check())
    }

    @Test("reports at which step the request for Apple's keys fails, and whether Apple accepts the credentials")
    func apple() throws {
        let (apple, address) = try startApple()
        defer { apple.stop() }
        let plain = address.replacing("http://", with: "https://")
        for (url, message) in [
            ("http://127.0.0.1:1/keys", /127\.0\.0\.1 cannot be reached/),
            ("https://nowhere.invalid/keys", /DNS has no address for nowhere\.invalid/),
            ("\(plain)/auth/keys", /no trusted TLS connection to 127\.0\.0\.1/),
            ("\(address)/elsewhere", /answers with the status 404/), ("\(address)/mint", /without a usable key/),
        ] {
            expectFault("Apple's keys", message, in: try check(["APPLE_JWKS_URL": url], []))
        }
        let known = try check(credentials(at: address), [])
        #expect(
            known.text.contains(/ok     Apple's credentials +Apple accepts them for com\.example\.app/), "\(known.text)"
        )
        let stranger = try check(credentials(at: address, key: "DEVELOPER2"), [])
        expectFault("Apple's credentials", /refuses them for com\.example\.app: invalid_client/, in: stranger)
        var unanswered = credentials(at: address)
        unanswered["APPLE_TOKEN_URL"] = "http://127.0.0.1:1/auth/token"
        expectFault("Apple's credentials", /token endpoint does not answer/, in: try check(unanswered, []))
        let wrong = try check(credentials(at: address).merging(["APPLE_KEY_ID": "Xhunter Xhunter"]) { $1 })
        #expect(wrong.status == 2 && wrong.text.contains("APPLE_KEY_ID") && !wrong.everything.contains("Xhunter"))
    }

    @Test("reports a socket without a server")
    func abandonedSocket() throws {
        let server = try tool.start(["serve"], tool.settings(["APP_ENV": "development"]))
        #expect(Eventually.holds { server.log.contains("\"listening\"") })
        server.signal(SIGKILL)
        _ = server.wait()
        let outcome = try check(["APP_ENV": "development"])
        expectFault("socket", /exists, but no server listens/, in: outcome)
    }
}
