import Foundation
import JSON
import StandardWebhooks
import TestSupport
import Testing

@Suite("The program stand-in")
struct StandInCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private var folder: String { tool.folder.file("apple") }

    private func start(_ words: String..., environment: [String: String] = [:]) throws -> (ChildProcess, String) {
        // An earlier process writes to the same log.
        let before = addresses(in: (try? String(contentsOfFile: tool.folder.file("log"), encoding: .utf8)) ?? "").count
        let apple = try tool.startStandIn(words, environment)
        #expect(Eventually.holds { addresses(in: apple.log).count > before })
        return (apple, try #require(addresses(in: apple.log).last))
    }

    private func addresses(in log: String) -> [String] {
        log.matches(of: /http:\/\/127\.0\.0\.1:\d+\n/).map { String($0.output.dropLast()) }
    }

    private func curl(_ words: String...) throws -> JSONObject? {
        let output = try Shell.run(["/usr/bin/curl", "--silent", "--max-time", "60"] + words)
        return (try? JSONValue(parsing: output))?.object
    }

    @Test("creates a private key for the developer, and mints logins for the first app of APPLE_BUNDLE_ID")
    func minting() throws {
        let (apple, url) = try start(
            "--key-id", "ABC123DEFG", "--team-id", "TEAM123456",
            environment: ["APPLE_BUNDLE_ID": "com.example.one, com.example.two"])
        defer { apple.stop() }
        let path = folder + "/AuthKey_ABC123DEFG.p8"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        let keys = try tool.file("keys.json", String(decoding: try HTTP.get(url + "/auth/keys"), as: UTF8.self))
        let token = try #require(try curl(url + "/mint")?["identityToken"]?.string)
        try tool.run("jws", "verify", "--jwks", keys, "--alg", "RS256", token).expect(0)
        let verify = ["apple", "verify", "--quiet", "--jwks", keys, token, "--audience"]
        try tool.run(verify + ["com.example.one"]).expect(0)
        try tool.run(verify + ["com.example.two"]).expect(1)
        let issuer = url + "/openid/example"
        let metadata = try curl(issuer + "/.well-known/openid-configuration")
        #expect(metadata?["issuer"] == .string(issuer), "an issuer begins with the address of the program by default")
    }

    @Test("serves OpenID Connect providers, WeChat and QQ at the same port, with issuers below --base, to --host alone")
    func providers() throws {
        let (apple, url) = try start(
            "--base", "http://apple.internal:1/", "--host", "apple.internal", "--host=other.internal")
        defer { apple.stop() }
        let discovery = "/openid/example/.well-known/openid-configuration"
        #expect(try curl(url + discovery)?["issuer"] == "http://apple.internal:1/openid/example")
        #expect(try curl(url + "/openid/google/mint")?["identityToken"] != nil)
        #expect(try curl(url + "/wechat/sns/auth")?["errcode"] == 41001)
        #expect(try curl(url + "/qq/oauth2.0/me?fmt=json")?["error"] == 100007)
        #expect(try curl(url + "/auth/keys")?["keys"] != nil)
        #expect(FileManager.default.fileExists(atPath: folder + "/openid-google.pem"))
        for (host, status) in [
            ("localhost", "200"), ("apple.internal", "200"), ("other.internal:8444", "200"), ("rebind.example", "421"),
        ] {
            #expect(try statusOfPage(url + "/mint", "--header", "Host: " + host) == status, "\(host)")
        }
    }

    @Test("lets a page send the browser back to the addresses of its options alone")
    func websites() throws {
        let callback = "https://app.example/back"
        let (apple, url) = try start(
            "--services-id", "com.example.web=https://other.example/", "--services-id", "com.example.web=\(callback)",
            "--redirect-uri", "acme=\(callback)", "--redirect-uri", "wechat=\(callback)", "--redirect-uri",
            "qq=\(callback)")
        defer { apple.stop() }
        let query = "?client_id=com.example.web&response_type=code&scope=openid&state=s&redirect_uri="
        let pages = [
            "/auth/authorize" + query, "/openid/acme/authorize" + query,
            "/wechat/connect/qrconnect?appid=wx0987654321fedcba&response_type=code&scope=snsapi_login&redirect_uri=",
            "/qq/oauth2.0/authorize?client_id=101765432&response_type=code&state=s&redirect_uri=",
        ]
        for page in pages {
            #expect(try statusOfPage(url + page + callback) == "200", "\(page)")
            #expect(try statusOfPage(url + page + "https://evil.example/back") == "400", "\(page)")
        }
    }

    private func statusOfPage(_ address: String, _ others: String...) throws -> String {
        let words = ["/usr/bin/curl", "--silent", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}", address]
        return String(decoding: try Shell.run(words + others), as: UTF8.self)
    }

    @Test("receives text messages that the secret of --sms-secret has signed, and shows them in its inbox")
    func textMessages() throws {
        let secret = "whsec_" + Data(repeating: UInt8(ascii: "k"), count: 24).base64EncodedString()
        let now = Int64(Date().timeIntervalSince1970)
        let (apple, url) = try start("--sms-secret", try tool.file("secret", secret + "\n"), "--log")
        defer { apple.stop() }
        let body =
            #"{"type":"sms.code","timestamp":"2026-11-25T12:00:00Z","data":{"to":"+447911123456","country":"GB","#
            + #""code":"042137","language":"en","text":"Your code is 042137.","expiresIn":600}}"#
        #expect(try curl(url + "/sms", "--data-raw", body)?["error"] != nil)
        let signed = try WebhookSecrets(secret).headers(id: "msg_1", timestamp: now, body: Array(body.utf8))
        let fields = (signed + [("content-type", "application/json")]).flatMap { ["--header", "\($0): \($1)"] }
        let words = ["/usr/bin/curl", "--silent", "--max-time", "60", url + "/sms", "--data-raw", body]
        #expect(String(decoding: try Shell.run(words + fields), as: UTF8.self) == "{}")
        let messages = try #require(try curl(url + "/inbox?wait=10")?["messages"]?.array)
        #expect(messages.count == 1 && messages.first?.object?["code"] == "042137")
        #expect(!apple.log.contains("042137") && !apple.log.contains("447911"))
    }

    @Test("receives mail at --mail-port, and shows it in its inbox")
    func mail() throws {
        let (apple, url) = try start("--mail-port", "0")
        defer { apple.stop() }
        let address = try #require(apple.log.firstMatch(of: /smtp:\/\/127\.0\.0\.1:\d+/)).output
        let lines = [
            "Date: Wed, 25 Nov 2026 12:00:00 +0000", "From: a@example.com", "To: ann@example.com",
            "Message-ID: <1@example.com>", "MIME-Version: 1.0", "Subject: s", "", "042137", "",
        ]
        let outcome = try Shell.outcome(
            of: [
                "/usr/bin/curl", "--silent", "--max-time", "20", "--mail-from", "a@example.com", "--mail-rcpt",
                "ann@example.com", "--upload-file", try tool.file("mail", lines.joined(separator: "\r\n")),
                String(address),
            ], environment: [:])
        #expect(outcome.status == 0)
        #expect(try curl(url + "/inbox?to=ann@example.com")?["messages"]?.array?.first?.object?["code"] == "042137")
    }

    @Test("a secret or a port that is not valid is wrong usage", arguments: ["--sms-secret", "--mail-port"])
    func malformedOption(name: String) throws {
        let outcome = try tool.runStandIn(["serve", "--port", "0", name, try tool.file("secret", "whsec_c2hvcnQ=")])
        #expect(outcome.status == 2 && !outcome.errorOutput.contains("c2hvcnQ"))
    }

    @Test("survives malformed requests")
    func nonsense() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        for path in ["/mint", "/notify", "/faults", "/auth/token", "/auth/revoke"] {
            let bodies = [
                "", "\u{1}", "[[[[", "%", "a=b&a=b", "{\"sub\":\"\\u0000\"}", String(repeating: "{", count: 60_000),
            ]
            let requests = bodies.flatMap { ["--next", url + path, "--data-binary", $0] }.dropFirst()
            _ = try Shell.outcome(of: ["/usr/bin/curl", "--silent"] + requests, environment: [:])
        }
        #expect(apple.exitStatus == nil)
        #expect(try curl(url + "/mint")?["identityToken"] != nil)
    }

    @Test("notify --to posts it, prints the answer, and exits by its status")
    func delivery() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        // Any server that accepts JSON will do: /faults rejects the body, which has no fault.
        func notify(_ address: String) throws -> Shell.Outcome {
            try tool.runStandIn(["notify", "x", "--sub", "ann", "--to", address])
        }
        let refused = try notify(url + "/faults")
        #expect(refused.status == 1)
        #expect(try JSONValue(parsing: refused.text).object?["status"] == 400)
        try notify(url + "/keys/rotate").expect(0)
        let nowhere = try notify("http://127.0.0.1:1/")
        #expect(nowhere.status == 3 && nowhere.text.isEmpty && !nowhere.errorOutput.isEmpty)
    }

    @Test(
        "wrong usage exits 2 and prints nothing on standard output",
        arguments: [
            ["serve", "--port", "x"], ["serve", "--port", "65536"], ["serve", "--key-id", "../x"],
            ["serve", "--key-id", ""], ["mint", "--era", "2020"], ["mint", "--claim", "x"], ["mint", "--claim", "=1"],
            ["mint", "--header", "x"], ["mint", "--at", "noon"], ["notify", "x"], ["notify", "--sub", "ann"],
            ["notify", "x", "--sub", "ann", "--shape", "xml"], ["nonsense"],
            ["serve", "--port", "0", "--services-id", "com.example.web"],
            ["serve", "--port", "0", "--services-id", "x=ftp://x"],
            ["serve", "--port", "0", "--redirect-uri", "A=https://x"],
        ])
    func usage(words: [String]) throws {
        let outcome = try tool.runStandIn(words)
        #expect(outcome.status == 2 && outcome.text.isEmpty && outcome.errorOutput.hasPrefix("stand-in: "))
    }

    @Test("every command has help")
    func help() throws {
        let overview = try Shell.outcome(of: [Executable.standIn, "--help"], environment: [:])
        for command in ["serve", "mint", "notify", "passkey create", "passkey sign", "console"] {
            let words = command.split(separator: " ").map(String.init)
            let outcome = try Shell.outcome(of: [Executable.standIn] + words + ["--help"], environment: [:])
            #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
            #expect(outcome.text.contains("usage: stand-in \(command)"))
            overview.expect(0, printing: "\n  \(command) ")
        }
    }

    @Test("gatehouse has no such command")
    func separatePrograms() throws {
        try tool.run("stand-in", "mint").expect(2, saying: "unknown command stand-in")
    }

    @Test("the name of before is the same program, and calls itself by it")
    func formerName() throws {
        let former = Executable.builtBesideTests("fake-apple")
        let words = ["mint", "--sub", "ann", "--at", "1760000000", "--keys", folder]
        let token = try Shell.outcome(of: [former] + words, environment: [:])
        #expect(token.status == 0 && token.text.split(separator: ".").count == 3)
        #expect(try Shell.outcome(of: [former, "nonsense"], environment: [:]).errorOutput.hasPrefix("fake-apple: "))
        let log = tool.folder.file("former")
        let process = try ChildProcess([former, "serve", "--port", "0", "--keys", folder], environment: [:], log: log)
        #expect(Eventually.holds { process.log.hasPrefix("fake Apple: http://127.0.0.1:") })
    }

    @Test("no command runs in production", arguments: [("APP_ENV", "production "), ("NODE_ENV", "Production")])
    func production(variable: String, value: String) throws {
        for words in [["serve", "--port", "0"], ["mint"], ["notify", "x", "--sub", "ann"]] {
            try tool.runStandIn(words, [variable: value]).expectRefusal(2, saying: "production")
            #expect(!FileManager.default.fileExists(atPath: folder), "no key was made")
        }
    }
}
