import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@Suite("gatehouse fake-apple")
struct FakeAppleTests {
    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private var folder: String { tool.folder.file("apple") }

    private func start(_ words: String..., environment: [String: String] = [:]) throws -> (ChildProcess, String) {
        // One started before it writes to the same log.
        let before = addresses(in: (try? String(contentsOfFile: tool.folder.file("log"), encoding: .utf8)) ?? "").count
        let apple = try tool.start(["fake-apple", "--port", "0", "--keys", folder] + words, environment)
        #expect(Eventually.holds { addresses(in: apple.log).count > before })
        return (apple, try #require(addresses(in: apple.log).last))
    }

    private func addresses(in log: String) -> [String] {
        log.matches(of: /http:\/\/127\.0\.0\.1:\d+\n/).map { String($0.output.dropLast()) }
    }

    private func curl(_ words: String...) throws -> JSONObject? {
        let output = try Shell.run(["/usr/bin/curl", "--silent", "--max-time", "10"] + words)
        return (try? JSONValue(parsing: output))?.object
    }

    private func notify(_ words: String...) throws -> Shell.Outcome {
        try tool.run(["fake-apple", "notify", "--keys", folder] + words)
    }

    @Test("makes a developer's key for this user alone, under the id it is given")
    func developerKey() throws {
        let (apple, _) = try start("--key-id", "ABC123DEFG", "--team-id", "TEAM123456")
        defer { apple.stop() }
        let path = folder + "/AuthKey_ABC123DEFG.p8"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
    }

    @Test("serves its keys, and logins for the first app of APPLE_BUNDLE_ID")
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

    @Test("answers only to this machine's names, and to those that --host adds")
    func hostNames() throws {
        let (apple, url) = try start("--host", "apple.internal", "--host=other.internal")
        defer { apple.stop() }
        func status(_ host: String) throws -> String {
            let words = ["--silent", "--max-time", "10", "--output", "/dev/null", "--write-out", "%{http_code}"]
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

    /// Posts a form as the developer whose key lies in the folder.
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

    @Test("killed while it revokes and started again, it has its keys, and knows what was granted and what revoked")
    func restart() throws {
        let (first, url) = try start()
        let keys = try HTTP.get(url + "/auth/keys")
        let refreshToken = try #require(try exchange(url)?["refresh_token"]?.string)
        // Done at once, and never answered.
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

    @Test("answers while others hang")
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

    @Test("survives whatever it is sent")
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

    @Test("notify prints what Apple's servers would post, signed with the keys of its folder")
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

    @Test("notify posts it, prints the answer, and exits by it")
    func delivery() throws {
        let (apple, url) = try start()
        defer { apple.stop() }
        // Any server will do that takes JSON: our own order of a fault is refused, for it knows no payload.
        let refused = try notify("x", "--sub", "ann", "--to", url + "/faults")
        #expect(refused.status == 1)
        #expect(try JSONValue(parsing: refused.text).object?["status"] == 400)
        #expect(try notify("x", "--sub", "ann", "--to", url + "/keys/rotate").status == 0)
        let nowhere = try notify("x", "--sub", "ann", "--to", "http://127.0.0.1:1/")
        #expect(nowhere.status == 3 && nowhere.text.isEmpty && !nowhere.complaint.isEmpty)
    }

    @Test(
        "what it cannot use is wrong usage",
        arguments: [
            ["fake-apple", "--port", "x"], ["fake-apple", "--key-id", "../x"], ["fake-apple", "--key-id", ""],
            ["fake-apple", "mint", "--era", "2020"], ["fake-apple", "mint", "--claim", "x"],
            ["fake-apple", "notify", "x"], ["fake-apple", "notify", "--sub", "ann"],
            ["fake-apple", "notify", "x", "--sub", "ann", "--shape", "xml"],
        ])
    func usage(words: [String]) throws {
        let outcome = try tool.run(words + ["--keys", folder])
        #expect(outcome.status == 2)
        #expect(outcome.text.isEmpty && !outcome.complaint.isEmpty)
    }

    @Test("nothing of it runs in production", arguments: ["APP_ENV", "NODE_ENV"])
    func production(setting: String) throws {
        for words in [["fake-apple"], ["fake-apple", "mint"], ["fake-apple", "notify", "x", "--sub", "ann"]] {
            let outcome = try tool.run(words + ["--keys", folder], [setting: "production"])
            #expect(outcome.status == 2)
            #expect(outcome.complaint.contains("production"))
            #expect(!FileManager.default.fileExists(atPath: folder))
        }
    }
}
