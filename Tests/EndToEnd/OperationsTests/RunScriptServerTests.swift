import Foundation
import JSON
import TestSupport
import Testing

@testable import ServerSupport

/// Starts `deploy/run` with the programs under test.
@Suite("deploy/run")
struct RunScriptServerTests {
    /// The first address of this machine in its network.
    private static let ownAddress: String? = {
        let all = try? Shell.run(["hostname", "--all-ip-addresses"])
        return all.flatMap { String(decoding: $0, as: UTF8.self).split(whereSeparator: \.isWhitespace).first }.map(
            String.init)
    }()

    private func isTaken(_ port: UInt16) throws -> Bool {
        try Shell.outcome(of: ["bash", "-c", ": </dev/tcp/127.0.0.1/\(port)"]).status == 0
    }

    @Test("The printed commands work one by one and all at once, again and again")
    func printedCommands() throws {
        let server = try DevelopmentServer()
        let commands = server.commands
        for path in [
            "mint", "me", "refresh", "logout", "dev-login", "me/accounts/apple", "me/accounts/google", "accounts",
            "export", "jwks.json",
        ] {
            #expect(commands.contains { $0.contains("/\(path) ") || $0.hasSuffix("/\(path)") }, "\(path)")
        }
        #expect(commands.last?.contains("-X DELETE") == true)
        for _ in 1...2 {
            let outcome = try server.paste(commands)
            #expect(outcome.errorOutput == "")
            #expect(outcome.text.contains(#""alg":"ES256""#), "\(outcome.text)")
        }
        for command in commands {
            let outcome = try server.paste([command])
            #expect(outcome.status == 0 && outcome.errorOutput == "", "\(command): \(outcome.text)")
        }
    }

    @Test("A pasted refresh that fails is shown and keeps the tokens, and two in a row do not end the session")
    func pastedRefresh() throws {
        let server = try DevelopmentServer()
        let login = try #require(server.commands.first)
        let refresh = try #require(server.commands.first { $0.contains("/auth/refresh") })
        let me = try #require(server.commands.first { $0.contains("/users/me ") })
        #expect(try server.paste([login, refresh, refresh, me]).errorOutput == "")
        let tokens = try String(contentsOfFile: server.data + "/session.json", encoding: .utf8)
        let failed = try server.paste([refresh.replacing("/auth/refresh", with: "/auth/refrash")])
        #expect(failed.text.contains(#""code":"not_found""#) && failed.errorOutput.contains("404"))
        #expect(try String(contentsOfFile: server.data + "/session.json", encoding: .utf8) == tokens)
        #expect(try server.paste([refresh, me]).errorOutput == "")
    }

    @Test(
        "With --listen, other machines reach the API and the fake Apple over TLS at the address",
        .enabled(if: ownAddress != nil, "this machine has no address but loopback"))
    func listen() throws {
        let address = try #require(Self.ownAddress)
        let host = address.contains(":") ? "[\(address)]" : address
        let server = try DevelopmentServer(["--listen", address, "--bundle-id", "com.example.phone,com.example.watch"])
        #expect(server.page.contains("https://\(host):\(server.port)"))
        #expect(server.page.contains("--listen lets every machine in this network sign in"))
        #expect(try server.ask("https://\(host):\(server.port)/api/users/me").status == 401)
        #expect(try server.ask("https://localhost:\(server.port)/api/users/me").status == 401)
        let login = server.folder.file("login")
        for audience in ["com.example.phone", "com.example.watch"] {
            let minted = try server.ask("https://\(host):\(server.applePort)/mint", "-d", #"{"aud":"\#(audience)"}"#)
            try Data(minted.body).write(to: URL(fileURLWithPath: login))
            let answer = try server.ask(
                "https://\(host):\(server.port)/api/auth/apple", "-d", "@" + login, "-H",
                "Content-Type: application/json")
            #expect(answer.status == 200)
        }
        #expect(try server.paste(server.commands).errorOutput == "")
    }

    @Test(
        "With --published, requests from other machines reach the API, the console and the fake Apple, by the machine's names",
        .enabled(if: ownAddress?.contains(".") == true, "this machine has no IPv4 address but loopback"))
    func published() throws {
        let server = try DevelopmentServer(["--published"])
        #expect(server.page.contains("--published lets everyone who reaches these ports sign in"))
        let outside = try #require(Self.ownAddress.map { "::\($0):" })
        let origin = "https://localhost:\(server.port)"
        #expect(try server.ask(origin + "/api/users/me", "--connect-to", outside).status == 401)
        #expect(try server.ask(origin + "/console/settings", "--connect-to", outside)["origin"]?.string == origin)
        let mint = "http://localhost:\(server.applePort)/mint"
        #expect(try server.ask(mint, "--connect-to", outside)["identityToken"] != nil)
        for address in [origin + "/console/settings", mint] {
            let rebound = try server.ask(address, "--connect-to", outside, "-H", "Host: rebind.example")
            #expect(rebound.status == 421)
        }
        #expect(try server.paste(server.commands).errorOutput == "")
    }

    @Test("Settings in the environment are passed on, and the fake Apple takes the developer's key from them")
    func environment() throws {
        let folder = try TemporaryFolder()
        let key = folder.file("key.p8")
        try Shell.run(["openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", key])
        let server = try DevelopmentServer(environment: [
            "ACCESS_TOKEN_TTL": "77s", "DATABASE_URL": "sqlite:" + folder.file("other.db"),
            "JWT_ACCESS_SECRET": "a028ea556224741394ab29b4d4abe315", "DEV_LOGIN_SECRET": "a secret of the operator",
            "APPLE_TEAM_ID": "MYTEAMID01", "APPLE_KEY_ID": "MYKEYID001", "APPLE_PRIVATE_KEY_FILE": key,
            "APPLE_NONCE": "challenge",
        ])
        let outcome = try server.paste(["DEV_LOGIN_SECRET='a secret of the operator'"] + server.commands)
        #expect(outcome.errorOutput == "")
        #expect(outcome.text.contains(#""expiresIn":77"#))
        #expect(!outcome.text.contains(#""alg":"ES256""#), "no key was generated")
        #expect(!server.page.contains("a secret of the operator"))
        #expect(FileManager.default.fileExists(atPath: folder.file("other.db")))
        #expect(!FileManager.default.fileExists(atPath: server.data + "/gatehouse.db"))
        let isExchanged = Eventually.holds {
            let requests = try? Shell.run([
                "curl", "-sS", "--noproxy", "*", "http://127.0.0.1:\(server.applePort)/requests",
            ])
            let list = requests.flatMap { try? JSONValue(parsing: $0) }?.object?["requests"]?.array ?? []
            return list.contains { $0.object?["path"]?.string == "/auth/token" && $0.object?["status"]?.integer == 200 }
        }
        #expect(isExchanged)
    }

    /// The address of Apple's keys is set, so that the test sends no request to Apple.
    @Test("With --real-apple, there is no fake Apple")
    func realApple() throws {
        let closed = try FreePort.any()
        let server = try DevelopmentServer(
            ["--real-apple", "--bundle-id", "com.example.phone"],
            environment: ["APPLE_JWKS_URL": "http://127.0.0.1:\(closed)/keys"])
        #expect(try !isTaken(server.applePort))
        #expect(!server.page.contains("/mint") && server.page.contains("apple verify"))
        #expect(server.configuration.contains(#"APPLE_BUNDLE_ID="com.example.phone""#))
        #expect(!server.configuration.contains("_URL=\"http:") && !server.configuration.contains("APPLE_KEY_ID"))
        #expect(try server.paste(server.commands.filter { !$0.contains("appleid.apple.com") }).errorOutput == "")
    }

    @Test("A login by each provider that the fake Apple plays is accepted")
    func providers() throws {
        let server = try DevelopmentServer()
        for (name, path) in [
            ("google", "openid/google"), ("acme", "openid/acme"), ("wechat", "wechat"), ("qq", "qq"),
        ] {
            let minted = try server.ask("http://127.0.0.1:\(server.applePort)/\(path)/mint", "-d", "{}")
            var body: JSONObject = ["provider": .string(name)]
            for member in ["identityToken", "code"] { body[member] = minted[member] }
            if name == "qq" { body["redirectUri"] = "https://app.example.com/qq" }
            let login = try server.ask(
                "https://localhost:\(server.port)/api/auth/identity", "-d", body.description, "-H",
                "Content-Type: application/json")
            #expect(login.status == 200 && login["isNewUser"] == true, "\(name) \(login.json)")
        }
    }

    @Test("Where NODE_ENV is production, the printed commands do without the development login")
    func production() throws {
        let server = try DevelopmentServer(environment: ["NODE_ENV": "production"])
        #expect(server.page.contains("NODE_ENV") && !server.page.contains("dev-login"))
        #expect(try server.paste(server.commands).errorOutput == "")
    }
}
