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

    @Test("What it prints fits a screen, its line signs in again and again, and a failed refresh keeps the tokens")
    func page() throws {
        let server = try DevelopmentServer()
        // Usually it is started in the checkout, and paths are short.
        let folder = server.folder
        let page = server.page.replacing(folder.file("checkout/"), with: "").replacing(folder.file(""), with: "")
        let lines = page.split(separator: "\n", omittingEmptySubsequences: false).drop { $0 != "" }
        #expect(lines.count <= 20 && lines.allSatisfy { $0.count <= 100 }, "\(page)")
        let signIn = try #require(server.signIn)
        for _ in 1...2 { try expect(signIn, at: server, answers: "200 200") }
        let refresh = "api auth/refresh -d @\(server.data)/session.json | keep"
        let functions = ". \(server.data)/api.sh"
        try expect("\(functions); \(refresh); \(refresh); user_api users/me", at: server, answers: "200 200 200")
        let tokens = try String(contentsOfFile: server.data + "/session.json", encoding: .utf8)
        let failing = refresh.replacing("auth/refresh", with: "auth/refrash")
        let failed = try server.paste(["\(functions); \(failing)"])
        #expect(failed.text.contains(#""code":"not_found""#) && failed.errorOutput.contains("404"))
        #expect(try String(contentsOfFile: server.data + "/session.json", encoding: .utf8) == tokens)
        try expect("\(functions); \(refresh); user_api users/me", at: server, answers: "200 200")
    }

    private func expect(
        _ line: String, at server: DevelopmentServer, answers: String, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let outcome = try server.paste([line])
        let statuses = outcome.errorOutput.split(separator: "\n").joined(separator: " ")
        #expect(statuses == answers, "\(outcome.text)", sourceLocation: location)
    }

    @Test(
        "With --listen, other machines reach the API and the fake Apple over TLS at the address, and not the console",
        .enabled(if: ownAddress != nil, "this machine has no address but loopback"))
    func listen() throws {
        let address = try #require(Self.ownAddress)
        let host = address.contains(":") ? "[\(address)]" : address
        let server = try DevelopmentServer(["--listen", address, "--bundle-id", "com.example.phone,com.example.watch"])
        #expect(server.page.contains("https://\(host):\(server.port)"))
        #expect(server.page.contains("--listen lets every machine in this network sign in"))
        #expect(try server.ask("https://\(host):\(server.port)/api/users/me").status == 401)
        #expect(try server.ask("https://localhost:\(server.port)/api/users/me").status == 401)
        let console = "https://\(host):\(server.port)/console/"
        for path in ["", "main.js", "settings", "log/end", "faults"] {
            #expect(try server.ask(console + path).status == 403, "\(path)")
        }
        #expect(try server.ask(console + "apple/mint", "-X", "POST", "-d", "{}").status == 403)
        #expect(try server.ask(console + "faulty/../settings", "--path-as-is").status == 403)
        #expect(try server.ask(console + "faulty/api/users/me").status == 401)
        let login = server.folder.file("login")
        for audience in ["com.example.phone", "com.example.watch"] {
            let minted = try server.ask("https://\(host):\(server.applePort)/mint", "-d", #"{"aud":"\#(audience)"}"#)
            try Data(minted.body).write(to: URL(fileURLWithPath: login))
            let answer = try server.ask(
                "https://\(host):\(server.port)/api/auth/apple", "-d", "@" + login, "-H",
                "Content-Type: application/json")
            #expect(answer.status == 200)
        }
        try expect(#require(server.signIn), at: server, answers: "200 200")
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
        try expect(#require(server.signIn), at: server, answers: "200 200")
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
        let signIn = try #require(server.signIn)
        // The challenge, the login, and the user.
        try expect(signIn, at: server, answers: "200 200 200")
        #expect(try server.paste([signIn]).text.contains(#""expiresIn":77"#))
        #expect(try server.ask("https://localhost:\(server.port)/.well-known/jwks.json").status == 404, "no key")
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
    @Test("With --real-apple, there is no fake Apple, and the console has a page and no login to mint")
    func realApple() throws {
        let closed = try FreePort.any()
        let server = try DevelopmentServer(
            ["--real-apple", "--bundle-id", "com.example.phone"],
            environment: ["APPLE_JWKS_URL": "http://127.0.0.1:\(closed)/keys"])
        #expect(try !isTaken(server.applePort))
        #expect(!server.page.contains("/mint") && server.page.contains("apple verify"))
        #expect(server.configuration.contains(#"APPLE_BUNDLE_ID="com.example.phone""#))
        #expect(!server.configuration.contains("_URL=\"http:") && !server.configuration.contains("APPLE_KEY_ID"))
        try expect(#require(server.signIn), at: server, answers: "200 200")
        let console = "https://localhost:\(server.port)/console/"
        #expect(try server.ask(console).status == 200)
        let settings = try server.ask(console + "settings")
        #expect(settings["fakeApple"] == .null && settings["bundleIDs"] == ["com.example.phone"])
        let json = ["-H", "Content-Type: application/json", "-d"]
        #expect(try server.ask(console + "apple/mint", json + ["{}"]).status == 404)
        #expect(try server.ask(console + "providers")["providers"] == [])
        let report = try server.ask(console + "verify", json + [#"{"identityToken":"a.b.c"}"#])
        #expect(report.status == 502 && report["error"]?.string?.contains(":\(closed)/keys") == true)
    }

    @Test("Where NODE_ENV is production and Apple is the real one, no line signs in")
    func production() throws {
        let closed = try FreePort.any()
        let server = try DevelopmentServer(
            ["--real-apple", "--bundle-id", "com.example.phone"],
            environment: ["NODE_ENV": "production", "APPLE_JWKS_URL": "http://127.0.0.1:\(closed)/keys"])
        #expect(server.page.contains("NODE_ENV") && server.signIn == nil)
    }
}

@Suite("The service of comments of deploy/run")
struct RunScriptCommentsTests {
    @Test(
        "It is behind the guard, learns nicknames by events and forgets deleted users, and gets events from Gatehouse alone"
    )
    func comments() throws {
        let server = try DevelopmentServer.shared.get()
        let origin = "https://localhost:\(server.port)"
        #expect(server.page.contains(origin) && server.page.contains("/comments "))
        let secret = try String(contentsOfFile: server.data + "/secrets/dev-login", encoding: .utf8)
            .trimmingCharacters(in: .whitespacesAndNewlines)
        func logIn(_ name: String) throws -> String {
            let body = #"{"email":"\#(name)@example.com","nickname":"\#(name)","devSecret":"\#(secret)"}"#
            let login = try server.ask(
                origin + "/api/auth/dev-login", "-H", "Content-Type: application/json", "-d", body)
            return "Authorization: Bearer " + login.accessToken
        }
        let (ada, bob) = (try logIn("Ada"), try logIn("Bob"))
        #expect(try server.ask(origin + "/comments", "-d", #"{"text":"Hello"}"#).status == 401)
        #expect(try server.ask(origin + "/comments", "-H", ada, "-d", #"{"text":"Hello"}"#).status == 201)
        func names() throws -> [String?] {
            let comments = try server.ask(origin + "/comments", "-H", bob).json["comments"]?.array ?? []
            return comments.map { $0.object?["nickname"]?.string }
        }
        #expect(try Eventually.holds(every: 0.1) { try names() == ["Ada"] })
        for path in ["/events", "/comments/events", "/comments/"] {
            #expect(try server.ask(origin + path, "-H", ada, "-d", "{}").status == 404, "\(path)")
        }
        #expect(try server.ask(origin + "/api/users/me", "-X", "DELETE", "-H", ada).status == 204)
        #expect(try Eventually.holds(every: 0.1) { try names().isEmpty })
    }
}

@Suite("The example page of deploy/run")
struct RunScriptPageTests {
    @Test(
        "It is served with a policy that permits its own scripts, and pages of CORS_ORIGINS are those of the environment"
    )
    func page() throws {
        let server = try DevelopmentServer(environment: [
            "CORS_ORIGINS": "https://app.example.com, http://localhost:3000"
        ])
        let origin = "https://localhost:\(server.port)"
        #expect(server.page.contains(origin) && server.page.contains("/example/ "))
        let page = try server.ask(origin + "/example/")
        #expect(page.status == 200)
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"), ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("x-content-type-options", "nosniff"), ("cache-control", "no-cache"),
            ("permissions-policy", "publickey-credentials-create=(self), publickey-credentials-get=(self)"),
            (
                "content-security-policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                    + "img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"
            ),
        ] {
            #expect(page.headers.filter { $0.name == name }.map(\.value) == [value], "\(name)")
        }
        let redirect = try server.ask(origin + "/example?code=x")
        #expect(redirect.status == 308 && redirect.header("location") == "/example/?code=x")
        #expect(try server.ask(origin + "/example/nothing").status == 404)
        for allowed in ["https://app.example.com", "http://localhost:3000"] {
            let library = try server.ask(origin + "/gatehouse.js", "-H", "Origin: " + allowed)
            #expect(library.header("content-type") == "text/javascript")
            #expect(library.header("access-control-allow-origin") == allowed)
        }
    }
}
