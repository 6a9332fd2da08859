import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@Suite("The program fake-apple")
struct FakeAppleCommandTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private var folder: String { tool.folder.file("apple") }

    private func start(_ words: String..., environment: [String: String] = [:]) throws -> (ChildProcess, String) {
        // An earlier process writes to the same log.
        let before = addresses(in: (try? String(contentsOfFile: tool.folder.file("log"), encoding: .utf8)) ?? "").count
        let apple = try tool.startFakeApple(words, environment)
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

    private func notify(_ words: String...) throws -> Shell.Outcome {
        try tool.runFakeApple(["notify"] + words)
    }

    @Test("creates a private key for the developer, named by its id")
    func developerKey() throws {
        let (apple, _) = try start("--key-id", "ABC123DEFG", "--team-id", "TEAM123456")
        defer { apple.stop() }
        let path = folder + "/AuthKey_ABC123DEFG.p8"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    }

    @Test("serves its keys, and mints logins for the first app of APPLE_BUNDLE_ID")
    func minting() throws {
        let (apple, url) = try start(environment: ["APPLE_BUNDLE_ID": "com.example.one, com.example.two"])
        defer { apple.stop() }
        let keys = tool.folder.file("keys.json")
        _ = try tool.file("keys.json", String(decoding: try HTTP.get(url + "/auth/keys"), as: UTF8.self))
        let token = try #require(try curl(url + "/mint")?["identityToken"]?.string)
        let verify = ["apple", "verify", "--quiet", "--jwks", keys, token, "--audience"]
        #expect(try tool.run(verify + ["com.example.one"]).status == 0)
        #expect(try tool.run(verify + ["com.example.two"]).status == 1)
    }

    @Test("serves OpenID Connect providers, WeChat and QQ at the same port, with issuers below --base")
    func providers() throws {
        let (apple, url) = try start("--base", "http://apple.internal:1/")
        defer { apple.stop() }
        let discovery = "/openid/example/.well-known/openid-configuration"
        #expect(try curl(url + discovery)?["issuer"] == "http://apple.internal:1/openid/example")
        #expect(try curl(url + "/openid/google/mint")?["identityToken"] != nil)
        #expect(try curl(url + "/wechat/sns/auth")?["errcode"] == 41001)
        #expect(try curl(url + "/qq/oauth2.0/me?fmt=json")?["error"] == 100007)
        #expect(try curl(url + "/auth/keys")?["keys"] != nil)
        #expect(FileManager.default.fileExists(atPath: folder + "/openid-google.pem"))
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

    private func statusOfPage(_ address: String) throws -> String {
        let words = ["/usr/bin/curl", "--silent", "--max-time", "60", "-o", "/dev/null", "-w", "%{http_code}", address]
        return String(decoding: try Shell.run(words), as: UTF8.self)
    }

    @Test(
        "refuses an address that no page may send a browser to",
        arguments: [
            ["--services-id", "com.example.web"], ["--services-id", "x=ftp://x"], ["--redirect-uri", "A=https://x"],
        ])
    func noAddress(words: [String]) throws {
        #expect(try tool.runFakeApple(["serve", "--port", "0"] + words).status == 2)
    }

    /// The header fields of a message that the secret of 24 letters `k` has signed.
    private func signature(of body: String) throws -> [String] {
        let key = String(repeating: "6b", count: 24)
        let content = "msg_1.\(Int(Date().timeIntervalSince1970))"
        let output = try Shell.run(
            [
                "/bin/sh", "-c",
                #"printf %s "$1.$2" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$3" -binary | base64"#, "sh",
                content, body, key,
            ])
        let tag = String(decoding: output, as: UTF8.self).filter { !$0.isWhitespace }
        let fields = [
            "webhook-id: msg_1", "webhook-timestamp: \(content.dropFirst(6))", "webhook-signature: v1,\(tag)",
        ]
        return (fields + ["content-type: application/json"]).flatMap { ["--header", $0] }
    }

    @Test("receives text messages that the secret of --sms-secret has signed, and shows them in its inbox")
    func textMessages() throws {
        let secret = "whsec_" + Data(repeating: UInt8(ascii: "k"), count: 24).base64EncodedString()
        let (apple, url) = try start("--sms-secret", try tool.file("secret", secret + "\n"), "--log")
        defer { apple.stop() }
        let body =
            #"{"type":"sms.code","timestamp":"2026-11-25T12:00:00Z","data":{"to":"+447911123456","country":"GB","#
            + #""code":"042137","language":"en","text":"Your code is 042137.","expiresIn":600}}"#
        #expect(try curl(url + "/sms", "--data-raw", body)?["error"] != nil)
        let words = ["/usr/bin/curl", "--silent", "--max-time", "60", url + "/sms", "--data-raw", body]
        #expect(String(decoding: try Shell.run(words + signature(of: body)), as: UTF8.self) == "{}")
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
        let outcome = try tool.runFakeApple(["serve", "--port", "0", name, try tool.file("secret", "whsec_c2hvcnQ=")])
        #expect(outcome.status == 2 && !outcome.errorOutput.contains("c2hvcnQ"))
    }

    @Test("an issuer begins with the address of the program by default")
    func defaultBase() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        let issuer = url + "/openid/example"
        #expect(try curl(issuer + "/.well-known/openid-configuration")?["issuer"] == .string(issuer))
    }

    @Test("answers only to the names of this machine and of --host")
    func hostNames() throws {
        let (apple, url) = try start("--host", "apple.internal", "--host=other.internal")
        defer { apple.stop() }
        func status(_ host: String) throws -> String {
            let words = ["--silent", "--max-time", "60", "--output", "/dev/null", "--write-out", "%{http_code}"]
            let output = try Shell.run(["/usr/bin/curl"] + words + ["--header", "Host: " + host, url + "/mint"])
            return String(decoding: output, as: UTF8.self)
        }
        for host in ["localhost", "apple.internal", "other.internal:8444"] { #expect(try status(host) == "200") }
        #expect(try status("rebind.example") == "421")
    }

    /// Exchanges the code of a new login for tokens.
    private func exchange(_ url: String) throws -> JSONObject? {
        let code = try #require(try curl(url + "/mint", "--data", #"{"sub":"ann"}"#)?["authorizationCode"]?.string)
        return try ask(url + "/auth/token", "grant_type=authorization_code", "code=" + code)
    }

    /// Posts a form with the developer's client secret.
    private func ask(_ url: String, _ fields: String...) throws -> JSONObject? {
        let pem = try String(contentsOfFile: folder + "/AuthKey_DEVELOPER1.p8", encoding: .utf8)
        let now = Int64(Date().timeIntervalSince1970)
        let claims: JSONObject = [
            "iss": "FAKEAPPLE1", "sub": "com.example.app", "aud": "https://appleid.apple.com", "iat": .integer(now),
            "exp": .integer(now + 300),
        ]
        let secret = try CompactJWS.sign(payload: claims.bytes, with: SigningKey(pem: pem, keyID: "DEVELOPER1"))
        let output = try Shell.run(
            ["/usr/bin/curl", "--silent", "--max-time", "20", url]
                + (fields + ["client_id=com.example.app", "client_secret=" + secret]).flatMap {
                    ["--data-urlencode", $0]
                })
        return (try? JSONValue(parsing: output))?.object
    }

    @Test("keys, grants and revocations survive a kill during a revocation")
    func restart() throws {
        let (first, url) = try start()
        let keys = try HTTP.get(url + "/auth/keys")
        let refreshToken = try #require(try exchange(url)?["refresh_token"]?.string)
        // The revocation is performed at once; only the answer is delayed.
        _ = try curl(url + "/faults", "--data", #"{"fault":"delay","seconds":60,"path":"/auth/revoke"}"#)
        let revoking = Background { [self] in
            _ = try? ask(url + "/auth/revoke", "token=" + refreshToken)
            return []
        }
        #expect(Eventually.holds { (try? curl(url + "/authorisations"))??["authorisations"]?.array?.isEmpty == true })
        first.signal(SIGKILL)
        _ = (first.wait(), revoking.result())
        let (second, again) = try start()
        defer { second.stop() }
        #expect(try HTTP.get(again + "/auth/keys") == keys)
        let renewed = try ask(again + "/auth/token", "grant_type=refresh_token", "refresh_token=" + refreshToken)
        #expect(renewed?["error"] == "invalid_grant")
        #expect(try exchange(again)?["refresh_token"] != nil)
    }

    @Test("answers while other requests hang")
    func crowd() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        _ = try curl(url + "/faults", "--data", #"{"fault":"hang","path":"/auth/token"}"#)
        let hanging = (0..<8).map { _ in
            Background {
                (try? Shell.run(["/usr/bin/curl", "-s", "--max-time", "20", "-d", "x", url + "/auth/token"])) ?? []
            }
        }
        #expect(Eventually.holds { (try? curl(url + "/requests"))??["requests"]?.array?.count == 8 })
        #expect(try curl(url + "/auth/keys")?["keys"] != nil)
        apple.signal(SIGKILL)
        for each in hanging { #expect(each.result().isEmpty) }
    }

    @Test("survives malformed requests")
    func nonsense() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        for path in ["/mint", "/notify", "/faults", "/auth/token", "/auth/revoke"] {
            for body in [
                "", "\u{1}", "[[[[", "%", "a=b&a=b", "{\"sub\":\"\\u0000\"}", String(repeating: "{", count: 60_000),
            ] {
                _ = try curl(url + path, "--data-binary", body)
                _ = try curl(url + path, "-X", "PUT", "--data-binary", body)
            }
        }
        #expect(apple.exitStatus == nil)
        #expect(try curl(url + "/mint")?["identityToken"] != nil)
    }

    @Test("notify prints a notification signed with the keys of its folder")
    func notification() throws {
        let outcome = try notify("consent-revoked", "--sub", "ann", "--at", "1760000000", "--claim", "jti=1")
        #expect(outcome.status == 0)
        let json = try #require(try JSONValue(parsing: outcome.text).object)
        #expect(json.names == ["payload"])
        let keys = try start()
        defer { keys.0.stop() }
        let file = try tool.file("keys.json", String(decoding: try HTTP.get(keys.1 + "/auth/keys"), as: UTF8.self))
        let payload = try tool.run(
            "jws", "verify", "--jwks", file, "--alg", "RS256", try #require(json["payload"]?.string))
        #expect(payload.status == 0)
        let claims = try #require(try JSONValue(parsing: payload.text).object)
        #expect(claims["jti"] == 1 && claims["iat"] == 1_760_000_000)
        #expect(claims["events"]?.string?.contains(#""type":"consent-revoked","sub":"ann""#) == true)
    }

    @Test("notify --to posts it, prints the answer, and exits by its status")
    func delivery() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        // Any server that accepts JSON will do: /faults rejects the body, which has no fault.
        let refused = try notify("x", "--sub", "ann", "--to", url + "/faults")
        #expect(refused.status == 1)
        #expect(try JSONValue(parsing: refused.text).object?["status"] == 400)
        #expect(try notify("x", "--sub", "ann", "--to", url + "/keys/rotate").status == 0)
        let nowhere = try notify("x", "--sub", "ann", "--to", "http://127.0.0.1:1/")
        #expect(nowhere.status == 3 && nowhere.text.isEmpty && !nowhere.errorOutput.isEmpty)
    }

    @Test(
        "wrong usage exits 2 and prints nothing on standard output",
        arguments: [
            ["serve", "--port", "x"], ["serve", "--port", "65536"], ["serve", "--key-id", "../x"],
            ["serve", "--key-id", ""], ["mint", "--era", "2020"], ["mint", "--claim", "x"], ["mint", "--claim", "=1"],
            ["mint", "--header", "x"], ["mint", "--at", "noon"], ["notify", "x"], ["notify", "--sub", "ann"],
            ["notify", "x", "--sub", "ann", "--shape", "xml"], ["nonsense"],
        ])
    func usage(words: [String]) throws {
        let outcome = try tool.runFakeApple(words)
        #expect(outcome.status == 2)
        #expect(outcome.text.isEmpty && outcome.errorOutput.hasPrefix("fake-apple: "))
    }

    @Test("every command has help", arguments: ["serve", "mint", "notify"])
    func help(command: String) throws {
        for words in [[command, "--help"], ["help", command]] {
            let outcome = try Shell.outcome(of: [Executable.fakeApple] + words, environment: [:])
            #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
            #expect(outcome.text.contains("usage: fake-apple \(command)"))
        }
        let overview = try Shell.outcome(of: [Executable.fakeApple, "--help"], environment: [:])
        #expect(overview.status == 0 && overview.text.contains("\n  \(command) "))
    }

    @Test("gatehouse has no command fake-apple")
    func separatePrograms() throws {
        let outcome = try tool.run("fake-apple", "mint")
        #expect(outcome.status == 2 && outcome.errorOutput.contains("unknown command fake-apple"))
    }

    @Test(
        "no command runs in production", arguments: ["APP_ENV", "NODE_ENV"],
        ["production", "production ", "Production"])
    func production(variable: String, value: String) throws {
        for words in [["serve", "--port", "0"], ["mint"], ["notify", "x", "--sub", "ann"]] {
            let outcome = try tool.runFakeApple(words, [variable: value])
            #expect(outcome.status == 2)
            #expect(outcome.text.isEmpty && outcome.errorOutput.contains("production"))
            #expect(!FileManager.default.fileExists(atPath: folder), "no key was made")
        }
    }
}
