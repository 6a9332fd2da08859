import Foundation
import Gatehouse
import GatehouseTokens
import JSON
import TestSupport
import Testing

@Suite("gatehouse apple verify")
struct AppleVerifyTests {
    private static let noon = "1760000000"

    /// The keys of a fake Apple, in a file. Created once, since generating keys takes long.
    private static let published = Result { () throws in
        let tool = try Tool()
        let apple = try tool.startFakeApple()
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains(/:\d+\n/) })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        _ = try tool.file("keys.json", String(decoding: try HTTP.get("\(address)/auth/keys"), as: UTF8.self))
        return tool
    }

    private let tool: Tool
    private let keys: String

    init() throws {
        tool = try Self.published.get()
        keys = tool.folder.file("keys.json")
    }

    private func mint(_ words: String...) throws -> String {
        let outcome = try tool.runFakeApple(["mint", "--at", Self.noon] + words)
        #expect(outcome.status == 0)
        return String(outcome.text.dropLast())
    }

    private func verify(_ words: String..., input: String = "", audience: String = "com.example.app") throws
        -> Shell.Outcome
    {
        try tool.run(["apple", "verify", "--jwks", keys, "--audience", audience] + words, input: input)
    }

    @Test("--notification verifies a notification, and neither kind of token passes as the other")
    func notification() throws {
        let sent = try tool.runFakeApple(["notify", "consent-revoked", "--sub", "001", "--at", Self.noon])
        let payload = try #require(try JSONValue(parsing: sent.text).object?["payload"]?.string)
        let good = try verify("--notification", "--at", Self.noon, payload)
        #expect(good.status == 0)
        #expect(try JSONValue(parsing: good.text).object?["events"] != nil)
        let asLogin = try verify("--at", Self.noon, payload)
        #expect(asLogin.status == 1 && asLogin.text.hasPrefix("malformed"))
        #expect(asLogin.errorOutput.contains("--notification"))
        let login = try verify("--notification", "--at", Self.noon, try mint())
        #expect(login.status == 1 && login.text.hasPrefix("malformed"))
        let other = try verify("--notification", "--at", Self.noon, payload, audience: "com.example.other")
        #expect(other.status == 1 && other.text.hasPrefix("audience"))
    }

    @Test("a valid token prints its claims, from the command line and from standard input")
    func good() throws {
        let token = try mint("--sub", "ann", "--claim", #"x={"y":[1,null]}"#)
        let outcomes = [
            try verify("--at", Self.noon, token), try verify("--at", Self.noon, "-", input: token),
            try verify("--at=" + Self.noon, "-", input: token + "\nsomething else\n"),
            try verify("--at", Self.noon, "--", token),
        ]
        for outcome in outcomes {
            #expect(outcome.status == 0)
            let claims = try #require(try JSONValue(parsing: outcome.text).object)
            #expect(claims["sub"] == "ann")
            #expect(claims["x"] == ["y": [1, nil]])
            #expect(claims["iat"] == 1_760_000_000)
        }
    }

    @Test("without --at, a token is verified as of now")
    func today() throws {
        let outcome = try tool.runFakeApple(["mint"])
        #expect(try verify("-", input: outcome.text).status == 0)
        #expect(try verify(try mint()).text.hasPrefix("expired"))
    }

    @Test(
        "an invalid token prints the reason",
        arguments: [
            (["--claim", "aud=other"], "audience"), (["--claim", "iss=https://x.example"], "issuer"),
            (["--header", "alg=none"], "algorithm"), (["--header", "kid=unknown"], "unknown_key"),
            (["--claim", "exp=1759999000"], "expired"), (["--claim", "iat=1760009000"], "not_yet_valid"),
            (["--claim", "events={}"], "malformed"), (["--claim", "sub=null"], "malformed"),
            (["--nonce", "n"], "nonce"), (["--header", "crit=[]"], "malformed"),
        ])
    func bad(order: [String], reason: String) throws {
        let outcome = try tool.runFakeApple(["mint", "--at", Self.noon] + order)
        let verdict = try verify("--at", Self.noon, String(outcome.text.dropLast()))
        #expect(verdict.status == 1)
        #expect(verdict.text.hasPrefix(reason + ": "))
        #expect(verdict.text.filter(\.isNewline).count == 1)
    }

    @Test("a token signed with another key is refused")
    func forged() throws {
        let minted = try tool.runFakeApple([
            "mint", "--keys", tool.folder.file("forger"), "--at", Self.noon, "--header",
            "kid=\(try keyID())",
        ])
        let verdict = try verify("--at", Self.noon, String(minted.text.dropLast()))
        #expect(verdict.status == 1)
        #expect(verdict.text.hasPrefix("signature: "))
    }

    private func keyID() throws -> String {
        let set = try JSONValue(parsing: try #require(try? String(contentsOfFile: keys, encoding: .utf8)))
        return try #require(set.object?["keys"]?.array?.first?.object?["kid"]?.string)
    }

    @Test("nonce, code and user are compared with the token")
    func binding() throws {
        let minted = try tool.runFakeApple(["mint", "--login", "--at", Self.noon, "--nonce", "n"])
        let login = try #require(try JSONValue(parsing: minted.text).object)
        let token = try #require(login["identityToken"]?.string)
        let code = try #require(login["authorizationCode"]?.string)
        let user = try #require(login["userIdentifier"]?.string)
        let good = ["--at", Self.noon, "--nonce", "n", "--code", code, "--user", user]
        #expect(
            try tool.run(["apple", "verify", "--jwks", keys, "--audience", "com.example.app", token] + good).status == 0
        )
        for (option, reason) in [("--nonce", "nonce"), ("--code", "code"), ("--user", "user")] {
            let words = ["apple", "verify", "--jwks", keys, "--audience", "com.example.app", token] + good
            let outcome = try tool.run(words + [option, "another"])
            #expect(outcome.status == 1)
            #expect(outcome.text.hasPrefix(reason + ": "))
        }
    }

    @Test("--audience and --issuer may be repeated")
    func lists() throws {
        let token = try mint("--aud", "com.example.web", "--claim", "iss=https://account.apple.com")
        let outcome = try verify(
            "--at", Self.noon, "--audience", "com.example.web", "--audience", "com.example.tv", "--issuer",
            "https://x.example", "--issuer",
            "https://account.apple.com", token)
        #expect(outcome.status == 0)
    }

    private func login(_ words: String...) throws -> String {
        let outcome = try tool.runFakeApple(["mint", "--login", "--at", Self.noon] + words)
        #expect(outcome.status == 0)
        return outcome.text
    }

    @Test("a whole login body is verified, from the command line, from a file and from standard input")
    func loginBody() throws {
        let body = try login("--sub", "ann", "--nonce", "n")
        let file = try tool.file("login.json", body)
        let members = try #require(try JSONValue(parsing: body).object)
        let spread =
            "\n{\n" + members.members.map { "  \"\($0.name)\": \($0.value)" }.joined(separator: ",\n") + "\n}\n"
        let outcomes = [
            try verify("--at", Self.noon, body), try verify("--at", Self.noon, file),
            try verify("--at", Self.noon, "-", input: body), try verify("--at", Self.noon, "-", input: spread),
            try verify("--at", Self.noon, "--", body),
        ]
        for outcome in outcomes {
            #expect(outcome.status == 0, "\(outcome.everything)")
            #expect(try JSONValue(parsing: outcome.text).object?["sub"] == "ann")
            #expect(report(outcome).map(\.mark) == Array(repeating: "ok", count: 13), "code and user are compared")
        }
        for (option, reason) in [("--nonce", "nonce"), ("--code", "code"), ("--user", "user")] {
            let outcome = try verify("--at", Self.noon, option, "another", file)
            #expect(outcome.status == 1 && outcome.text.hasPrefix(reason + ": "), "an option takes precedence")
        }
        let token = try tool.file("token", try mint() + "\n")
        #expect(try verify("--at", Self.noon, token).status == 0, "a file may hold a token")
    }

    @Test("a notification is verified in the body in which Apple sends it")
    func notificationBody() throws {
        let sent = try tool.runFakeApple(["notify", "consent-revoked", "--sub", "001", "--at", Self.noon])
        #expect(try verify("--notification", "--at", Self.noon, "-", input: sent.text).status == 0)
        #expect(try verify("--notification", "--at", Self.noon, "{}").status == 2)
    }

    @Test(
        "a body that the server would not read exits 2 and says why",
        arguments: [
            ("{", "ends before the JSON is complete"),
            (#"{"identityToken":"a","identityToken":"b"}"#, "identityToken twice"),
            ("{}", "identityToken is required"),
            (#"{"identityToken":7}"#, "identityToken must be a string, not a number"),
            (#"{"identityToken":"a","nonce":[]}"#, "nonce must be a string, not an array"),
        ])
    func unreadableBody(body: String, fault: String) throws {
        let outcome = try verify("-", input: body)
        #expect(outcome.status == 2)
        #expect(outcome.text.isEmpty && outcome.errorOutput.contains(fault), "\(outcome.errorOutput)")
    }

    @Test("the cause of a refusal is told", arguments: [("--nonce", "n", "the request has none")])
    func cause(option: String, value: String, words: String) throws {
        #expect(try verify("--at", Self.noon, try mint(option, value)).text.contains(words))
        let encoded = Data(try mint().utf8).base64EncodedString()
        #expect(try verify("--at", Self.noon, encoded).text.contains("encoded in base64 once more"))
    }

    /// Verifies with a configuration in place of `--audience`.
    private func verify(
        _ words: [String], _ settings: [String: String], secret: String? = Tool.secrets["JWT_REFRESH_SECRET"]
    ) throws -> Shell.Outcome {
        var settings = settings
        settings["JWT_REFRESH_SECRET"] = secret
        return try tool.run(["apple", "verify", "--jwks", keys, "--at", Self.noon] + words, settings)
    }

    /// A challenge of the server with the secret of the tests.
    private func challenge(expiresIn seconds: Int64, secret: String = "refresh-secret-of-the-tests-012345678") throws
        -> String
    {
        let ring = try KeyRing(secret: Array(secret.utf8))
        let service = JWTTokenService(issuer: "i", audience: "a", accessKeys: ring, refreshKeys: ring)
        return service.challenge(expiresAt: Timestamp(seconds: Int64(Self.noon)! + seconds)).nonce
    }

    @Test("without --audience, a login is verified with the configured audiences, issuers and nonces")
    func configured() throws {
        let token = try mint("--aud", "com.example.web")
        let settings = ["APPLE_BUNDLE_ID": "com.example.app,com.example.web"]
        #expect(try verify([token], settings).status == 0)
        #expect(try verify([token], ["APPLE_BUNDLE_ID": "com.example.app"]).text.hasPrefix("audience: "))
        let other = try mint("--claim", "iss=https://account.apple.com")
        #expect(try verify([other], settings).text.hasPrefix("issuer: "))
        let issuers = settings.merging(["APPLE_ISSUER": "https://account.apple.com"]) { $1 }
        #expect(try verify([other], issuers).status == 0)
        #expect(try verify(["--issuer", "https://x.example", other], issuers).text.hasPrefix("issuer: "))
        let required = settings.merging(["APPLE_NONCE": "required"]) { $1 }
        #expect(try verify([token], required).text.hasPrefix("nonce: This installation requires a nonce"))
        #expect(try verify(["--audience", "com.example.web", token], required).status == 0, "options need none")
        let file = try tool.file("gatehouse.env", "APPLE_BUNDLE_ID=com.example.web\n")
        #expect(try verify([token], ["GATEHOUSE_CONFIG": file]).status == 0)
    }

    @Test("without --audience and without a configuration, the missing setting is named")
    func notConfigured() throws {
        let outcome = try verify([try mint()], [:])
        #expect(outcome.status == 2 && outcome.errorOutput.contains("APPLE_BUNDLE_ID"))
        #expect(outcome.errorOutput.contains("--audience"))
    }

    @Test("--challenge demands a nonce of the challenge endpoint that has not expired")
    func challenges() throws {
        let nonce = try challenge(expiresIn: 600)
        let audience = ["--challenge", "--audience", "com.example.app"]
        let good = try verify(audience + [try login("--nonce", nonce)], [:])
        #expect(good.status == 0, "\(good.everything)")
        #expect(report(good).map(\.check) == Self.checks + ["challenge", "used"])
        #expect(report(good)[13].mark == "ok" && report(good)[13].text.contains("expires 2025-10-09T09:03:20.000Z"))
        #expect(report(good)[14].mark == "-" && report(good)[14].text.contains("only the server knows"))
        let faults = [
            (try challenge(expiresIn: 0), "nonce: The nonce has expired", "it expired at 2025-10-09T08:53:20.000Z"),
            (
                try challenge(expiresIn: 600, secret: "another-secret-of-the-tests-01234567"), "nonce: ",
                "the nonce is not of"
            ),
            ("the app's own", "nonce: This installation requires a nonce of POST", "the nonce is not of"),
        ]
        for (nonce, verdict, fault) in faults {
            let refused = try verify(audience + [try login("--nonce", nonce)], [:])
            #expect(refused.status == 1 && refused.text.hasPrefix(verdict), "\(refused.text)")
            #expect(report(refused)[13].mark == "FAULT" && report(refused)[13].text.hasPrefix(fault))
        }
        let none = try verify(audience + [try mint()], [:])
        #expect(none.status == 1 && none.text.contains("the request has none"))
        #expect(report(none)[10].mark == "FAULT" && report(none)[13].mark == "-")
        let unknown = try verify(audience + [try mint()], [:], secret: nil)
        #expect(unknown.status == 2 && unknown.errorOutput.contains("JWT_REFRESH_SECRET"))
    }

    @Test("a configuration that demands challenges has the effect of --challenge; any other refuses expired ones")
    func configuredChallenges() throws {
        let settings = ["APPLE_BUNDLE_ID": "com.example.app", "APPLE_NONCE": "challenge"]
        let expired = try login("--nonce", try challenge(expiresIn: -1))
        #expect(try verify([expired], settings).text.contains("The nonce has expired"))
        #expect(try verify([try login("--nonce", try challenge(expiresIn: 1))], settings).status == 0)
        #expect(try verify([try mint()], settings, secret: nil).status == 2)
        let optional = ["APPLE_BUNDLE_ID": "com.example.app"]
        #expect(try verify([expired], optional).text.contains("The nonce has expired"))
        let own = try verify([try login("--nonce", "the app's own")], optional)
        #expect(own.status == 0 && report(own)[13].text.contains("the app's own"))
        let blind = try verify([expired], optional, secret: nil)
        #expect(blind.status == 0 && report(blind)[13].text.contains("JWT_REFRESH_SECRET is not set"))
        #expect(report(try verify([try mint()], optional))[13].text.contains("the login has no nonce"))
    }

    @Test("unusable arguments exit 2 without a verdict")
    func unusable() throws {
        let token = try mint()
        #expect(try verify("--at", "noon", token).status == 2)
        for file in [tool.folder.file("missing"), try tool.file("x.json", "{}"), try tool.file("y.json", "<html>")] {
            let outcome = try tool.run("apple", "verify", "--jwks", file, "--audience", "a", token)
            #expect(outcome.status == 2)
            #expect(outcome.text.isEmpty && !outcome.errorOutput.isEmpty)
        }
        #expect(try verify("-").text.hasPrefix("malformed"))
        #expect(try verify("no-token").status == 1)
    }

    /// The lines of standard error: mark, check and text.
    private func report(_ outcome: Shell.Outcome) -> [(mark: String, check: String, text: String)] {
        outcome.errorOutput.split(separator: "\n").map { line in
            let words = line.split(separator: /\s\s+/, maxSplits: 2).map(String.init)
            return (words[0], words[1], words.count > 2 ? words[2] : "")
        }
    }

    private static let checks = [
        "form", "algorithm", "key id", "claims", "subject", "issuer", "audience", "times", "key", "signature", "nonce",
        "code", "user",
    ]

    @Test("each check has a line on standard error, in order; --quiet leaves them out")
    func goodReport() throws {
        let token = try mint("--sub", "ann")
        let outcome = try verify("--at", Self.noon, token)
        let lines = report(outcome)
        #expect(lines.map(\.check) == Self.checks)
        #expect(lines.map(\.mark) == Array(repeating: "ok", count: 11) + ["-", "-"])
        #expect(lines[0].text == "three parts, \(token.utf8.count) bytes")
        #expect(lines[4].text == "ann")
        #expect(lines[7].text.hasPrefix("issued 2025-10-09T08:53:20.000Z, expires 2025-10-10T08:53:20.000Z"))
        let quiet = try verify("--at", Self.noon, "--quiet", token)
        #expect(quiet.errorOutput.isEmpty)
        #expect(quiet.text == outcome.text && quiet.status == 0)
    }

    struct Fault: Sendable {
        let order: [String]
        let check: String
        let text: String
    }

    @Test(
        "a fault names both values, and the checks after it are not made",
        arguments: [
            Fault(order: ["--header", "crit=[]"], check: "form", text: "malformed: header has crit"),
            Fault(order: ["--header", "alg=none"], check: "algorithm", text: "none is not RS256"),
            Fault(order: ["--header", "kid=null"], check: "key id", text: "the header has no kid"),
            Fault(order: ["--claim", "events={}"], check: "claims", text: "it has events: for a notification"),
            Fault(order: ["--claim", "sub=null"], check: "subject", text: "sub must be a text"),
            Fault(
                order: ["--claim", "iss=https://x.example"], check: "issuer",
                text: "https://x.example is not one of https://appleid.apple.com"),
            Fault(order: ["--aud", "other"], check: "audience", text: "other is not one of com.example.app"),
            Fault(
                order: ["--claim", "aud=[\"a\",\"b\"]"], check: "audience",
                text: #"["a","b"] is not one of com.example.app"#),
            Fault(
                order: ["--claim", "exp=1759999000"], check: "times", text: "issued 2025-10-09T08:53:20.000Z, expires"),
            Fault(order: ["--claim", "exp=soon"], check: "times", text: "iat and exp must be numbers"),
            Fault(order: ["--header", "kid=unknown"], check: "key", text: "unknown is not one of "),
            Fault(order: ["--nonce", "n"], check: "nonce", text: "the token has n, and none was sent"),
        ])
    func faultReport(fault: Fault) throws {
        let minted = try tool.runFakeApple(["mint", "--at", Self.noon] + fault.order)
        let token = String(minted.text.dropLast())
        let outcome = try verify("--at", Self.noon, token)
        let lines = report(outcome)
        #expect(lines.map(\.check) == Self.checks)
        let index = try #require(Self.checks.firstIndex(of: fault.check))
        #expect(lines[index].mark == "FAULT")
        #expect(lines[index].text.hasPrefix(fault.text), "\(lines[index].text)")
        #expect(lines[..<index].allSatisfy { $0.mark == "ok" })
        #expect(lines[(index + 1)...].allSatisfy { $0.mark == "-" && $0.text == "not checked" })
        for part in token.split(separator: ".") { #expect(!outcome.errorOutput.contains(part)) }
    }

    @Test("a malformed token, another key and another login are told apart")
    func otherFaults() throws {
        #expect(report(try verify("no-token"))[0].text == "malformed: not three parts, 8 bytes")
        let forged = try tool.runFakeApple([
            "mint", "--keys", tool.folder.file("forger"), "--at", Self.noon, "--header",
            "kid=\(try keyID())",
        ])
        #expect(report(try verify("--at", Self.noon, String(forged.text.dropLast())))[9].mark == "FAULT")
        let token = try mint("--sub", "ann", "--nonce", "n")
        let others = report(try verify("--at", Self.noon, "--nonce", "n", "--code", "c", token))
        #expect(others[11].mark == "FAULT" && others[11].text == "the token's c_hash belongs to another code")
        let user = report(try verify("--at", Self.noon, "--nonce", "n", "--user", "bob", token))
        #expect(user[12].mark == "FAULT" && user[12].text == "ann is the token's sub, bob was sent")
        #expect(user[11].mark == "-" && user[11].text == "not compared: no --code was given")
    }

    @Test("a token cannot write control characters to the terminal")
    func terminal() throws {
        let token = try mint("--claim", #"aud="\u001b[2J\u009b\n\u202e""#)
        let outcome = try verify("--at", Self.noon, token)
        #expect(outcome.errorOutput.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "\n" })
        #expect(report(outcome).count == Self.checks.count)
    }

    @Test(
        "Apple's tokens of all years are good at their time", arguments: ["2019", "2021", "2025"], ["1577880000", noon])
    func eras(era: String, time: String) throws {
        let minted = try tool.runFakeApple(["mint", "--era", era, "--at", time])
        let token = String(minted.text.dropLast())
        #expect(try verify("--at", time, "--quiet", token).status == 0)
        #expect(try verify("--at", "\(Int(time)! + 90_000)", "--quiet", token).text.hasPrefix("expired"))
    }
}
