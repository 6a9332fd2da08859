import Foundation
import JSON
import TestSupport
import Testing

/// Tests of `gatehouse apple verify`, with the keys of a fake Apple.
protocol AppleVerifySuite {
    var tool: Tool { get }
}

/// Has minted logins and verifies them.
enum AppleVerifyTool {
    /// The keys of a fake Apple, in a file. Created once, since generating keys takes long.
    static let shared = Result { () throws in
        let tool = try Tool()
        let apple = try tool.startStandIn()
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains(/:\d+\n/) })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        _ = try tool.file("keys.json", String(decoding: try HTTP.get("\(address)/auth/keys"), as: UTF8.self))
        return tool
    }
}

extension AppleVerifySuite {
    static var noon: String { "1760000000" }

    static var checks: [String] {
        [
            "form", "algorithm", "key id", "claims", "subject", "issuer", "audience", "times", "key", "signature",
            "nonce", "code", "user",
        ]
    }

    var keys: String { tool.folder.file("keys.json") }

    func mint(_ words: String...) throws -> String { try mint(words) }

    func mint(_ words: [String]) throws -> String { String(try standIn(["mint"] + words).dropLast()) }

    func login(_ words: String...) throws -> String { try standIn(["mint", "--login"] + words) }

    func standIn(_ words: [String]) throws -> String {
        let outcome = try tool.runStandIn(words + ["--at", Self.noon])
        #expect(outcome.status == 0)
        return outcome.text
    }

    func verify(_ words: String..., input: String = "", audience: String = "com.example.app") throws
        -> Shell.Outcome
    {
        try tool.run(["apple", "verify", "--jwks", keys, "--audience", audience] + words, input: input)
    }
}

@Suite("gatehouse apple verify")
struct AppleVerifyTests: AppleVerifySuite {
    let tool: Tool

    init() throws { tool = try AppleVerifyTool.shared.get() }

    @Test("--notification verifies a notification, and neither kind of token passes as the other")
    func notification() throws {
        let sent = try standIn(["notify", "consent-revoked", "--sub", "001", "--claim", "x=1"])
        let payload = try #require(try JSONValue(parsing: sent).object?["payload"]?.string)
        let good = try verify("--notification", "--at", Self.noon, payload)
        #expect(good.status == 0)
        let claims = try #require(try JSONValue(parsing: good.text).object)
        #expect(claims["x"] == 1 && claims["iat"] == 1_760_000_000)
        #expect(claims["events"]?.string?.contains(#""type":"consent-revoked","sub":"001""#) == true)
        // The body in which Apple sends it.
        let whole = try verify("--notification", "--json", "--at", Self.noon, "-", input: sent)
        #expect(try JSONValue(parsing: whole.text).object?["claims"] == .object(claims))
        try verify("--notification", "--at", Self.noon, "{}").expect(2)
        let asLogin = try verify("--at", Self.noon, payload)
        #expect(asLogin.status == 1 && asLogin.text.hasPrefix("malformed"))
        let login = try verify("--notification", "--at", Self.noon, try mint())
        #expect(login.status == 1 && login.text.hasPrefix("malformed"))
        let other = try verify("--notification", "--at", Self.noon, payload, audience: "com.example.other")
        #expect(other.status == 1 && other.text.hasPrefix("audience"))
    }

    @Test("a valid token prints its claims, from the command line, from a file and from standard input")
    func good() throws {
        let token = try mint("--sub", "ann", "--claim", #"x={"y":[1,null]}"#)
        for outcome in [
            try verify("--at", Self.noon, token), try verify("--at", Self.noon, try tool.file("token", token + "\n")),
            try verify("--at=" + Self.noon, "-", input: token + "\nsomething else\n"),
        ] {
            #expect(outcome.status == 0)
            let claims = try #require(try JSONValue(parsing: outcome.text).object)
            #expect(claims["sub"] == "ann" && claims["x"] == ["y": [1, nil]])
            #expect(claims["iat"] == 1_760_000_000)
        }
    }

    @Test("identity verify apple prints the same")
    func alias() throws {
        let (token, other) = (try mint(), try mint("--aud", "x"))
        for words in [[token], ["--json", other], ["--notification", token], ["--user", "x", token]] {
            let rest = ["--jwks", keys, "--audience", "com.example.app", "--at", Self.noon] + words
            let short = try tool.run(["apple", "verify"] + rest)
            let long = try tool.run(["identity", "verify", "apple"] + rest)
            #expect(short.status == long.status && short.text == long.text && short.errorOutput == long.errorOutput)
        }
    }

    @Test("without --at, a token is verified as of now")
    func today() throws {
        let outcome = try tool.runStandIn(["mint"])
        try verify("-", input: outcome.text).expect(0)
        #expect(try verify(try mint()).text.hasPrefix("expired"))
    }

    private func forgery() throws -> String {
        let set = try JSONValue(parsing: try #require(try? String(contentsOfFile: keys, encoding: .utf8)))
        let keyID = try #require(set.object?["keys"]?.array?.first?.object?["kid"]?.string)
        return try mint("--keys", tool.folder.file("forger"), "--header", "kid=\(keyID)")
    }

    @Test("a token signed with another key is refused, as are another nonce, code and user than those of the token")
    func binding() throws {
        let forged = try verify("--at", Self.noon, try forgery())
        #expect(forged.status == 1 && forged.text.hasPrefix("signature: ") && forged.report[9].mark == "FAULT")
        let body = try #require(try JSONValue(parsing: login("--sub", "ann", "--nonce", "n")).object)
        let words = try ["identityToken", "authorizationCode"].map { try #require(body[$0]?.string) }
        let good = ["--at", Self.noon, "--nonce", "n", "--code", words[1], "--user", "ann"]
        func compare(_ others: String...) throws -> Shell.Outcome {
            let first = ["apple", "verify", "--jwks", keys, "--audience", "com.example.app", words[0]]
            return try tool.run(first + good + others)
        }
        #expect(try compare().report.map(\.mark) == Array(repeating: "ok", count: 13))
        for (option, reason, line, text) in [
            ("--nonce", "nonce", 10, "n is neither another nor its SHA-256"),
            ("--code", "code", 11, "the token's c_hash belongs to another code"),
            ("--user", "user", 12, "ann is the token's sub, another was sent"),
        ] {
            let outcome = try compare(option, "another")
            #expect(outcome.status == 1 && outcome.text.hasPrefix(reason + ": "))
            #expect(outcome.report[line].mark == "FAULT" && outcome.report[line].text.hasPrefix(text))
        }
    }

    @Test("--audience and --issuer may be repeated")
    func lists() throws {
        let token = try mint("--aud", "com.example.web", "--claim", "iss=https://account.apple.com")
        let outcome = try verify(
            "--at", Self.noon, "--audience", "com.example.web", "--audience", "com.example.tv", "--issuer",
            "https://x.example", "--issuer", "https://account.apple.com", token)
        #expect(outcome.status == 0)
    }

    @Test("unusable arguments exit 2 without a verdict")
    func unusable() throws {
        let token = try mint()
        try verify("--at", "noon", token).expect(2)
        for file in [tool.folder.file("missing"), try tool.file("x.json", "{}"), try tool.file("y.json", "<html>")] {
            let outcome = try tool.run("apple", "verify", "--jwks", file, "--audience", "a", token)
            #expect(outcome.status == 2 && outcome.text.isEmpty && !outcome.errorOutput.isEmpty)
        }
        #expect(try verify("-").text.hasPrefix("malformed"))
        #expect(try verify("no-token").report[0].text == "malformed: not three parts, 8 bytes")
    }

    @Test("each check has a line on standard error, in order; --quiet leaves them out, and --json has them, too")
    func goodReport() throws {
        let token = try mint("--sub", "ann")
        let outcome = try verify("--at", Self.noon, token)
        let lines = outcome.report
        #expect(lines.map(\.check) == Self.checks)
        #expect(lines.map(\.mark) == Array(repeating: "ok", count: 11) + ["-", "-"])
        #expect(lines[0].text == "three parts, \(token.utf8.count) bytes" && lines[4].text == "ann")
        #expect(lines[7].text.hasPrefix("issued 2025-10-09T08:53:20.000Z, expires 2025-10-10T08:53:20.000Z"))
        #expect(lines[11].text == "not compared: no --code was given")
        let quiet = try verify("--at", Self.noon, "--quiet", token)
        #expect(quiet.errorOutput.isEmpty && quiet.text == outcome.text && quiet.status == 0)
        let json = try verify("--at", Self.noon, "--json", token)
        let document = try #require(try JSONValue(parsing: json.text).object)
        #expect(json.status == 0 && json.errorOutput.isEmpty && document["ok"] == true)
        #expect(try document["claims"] == JSONValue(parsing: outcome.text))
        let checks = document["checks"]?.array?.compactMap(\.object) ?? []
        #expect(checks.map { $0["message"]?.string } == lines.map(\.text))
        #expect(checks.map { $0["state"] } == Array(repeating: "ok", count: 11) + ["skipped", "skipped"])
    }

    struct Fault: Sendable {
        let order: [String]
        let check: String
        let text: String
        let reason: String

        init(_ order: [String], _ check: String, _ text: String, _ reason: String) {
            (self.order, self.check, self.text, self.reason) = (order, check, text, reason)
        }
    }

    @Test(
        "a fault names both values and the reason, without control characters, and the checks after it are not made",
        arguments: [
            Fault(["--header", "crit=[]"], "form", "malformed: header has crit", "malformed"),
            Fault(["--header", "alg=none"], "algorithm", "none is not RS256", "algorithm"),
            Fault(["--header", "kid=null"], "key id", "the header has no kid", "malformed"),
            Fault(["--claim", "events={}"], "claims", "it has events: for a notification", "malformed"),
            Fault(["--claim", "sub=null"], "subject", "sub must be a text", "malformed"),
            Fault(
                ["--claim", "iss=https://x.example"], "issuer",
                "https://x.example is not one of https://appleid.apple.com", "issuer"),
            Fault(["--aud", "other"], "audience", "other is not one of com.example.app", "audience"),
            Fault(
                ["--claim", #"aud=["a","b"]"#], "audience", #"["a","b"] is not one of com.example.app"#, "audience"),
            Fault(["--claim", #"aud="\u001b[2J\u009b\n\u202e""#], "audience", "", "audience"),
            Fault(
                ["--claim", "exp=1759999000"], "times", "issued 2025-10-09T08:53:20.000Z, expires 2025-10-09T08:36:40",
                "expired"),
            Fault(["--claim", "iat=1760009000"], "times", "issued 2025-10-09T11:23:20.000Z, expires", "not_yet_valid"),
            Fault(["--claim", "exp=soon"], "times", "iat and exp must be numbers", "malformed"),
            Fault(["--header", "kid=unknown"], "key", "unknown is not one of ", "unknown_key"),
            Fault(["--nonce", "n"], "nonce", "the token has n, and none was sent", "nonce"),
        ])
    func faultReport(fault: Fault) throws {
        let token = try mint(fault.order)
        let outcome = try verify("--at", Self.noon, token)
        #expect(outcome.status == 1 && outcome.text.hasPrefix(fault.reason + ": "))
        #expect(outcome.text.filter(\.isNewline).count == 1)
        let lines = outcome.report
        #expect(lines.map(\.check) == Self.checks)
        let index = try #require(Self.checks.firstIndex(of: fault.check))
        #expect(lines[index].mark == "FAULT" && lines[index].text.hasPrefix(fault.text), "\(lines[index].text)")
        #expect(lines[..<index].allSatisfy { $0.mark == "ok" })
        #expect(lines[(index + 1)...].allSatisfy { $0.mark == "-" && $0.text == "not checked" })
        #expect(outcome.errorOutput.unicodeScalars.allSatisfy { (0x20...0x7E).contains($0.value) || $0 == "\n" })
        for part in token.split(separator: ".") { #expect(!outcome.errorOutput.contains(part)) }
    }

    @Test(
        "Apple's tokens of all years are good at their time", arguments: ["2019", "2021", "2025"], ["1577880000", noon])
    func eras(era: String, time: String) throws {
        let token = String(try tool.runStandIn(["mint", "--era", era, "--at", time]).text.dropLast())
        try verify("--at", time, "--quiet", token).expect(0)
        #expect(try verify("--at", "\(Int(time)! + 90_000)", "--quiet", token).text.hasPrefix("expired"))
    }
}

@Suite("gatehouse apple verify, with a whole body")
struct AppleVerifyBodyTests: AppleVerifySuite {
    let tool: Tool

    init() throws { tool = try AppleVerifyTool.shared.get() }

    @Test("a whole login body is verified, from the command line, from a file and from standard input")
    func loginBody() throws {
        let body = try login("--sub", "ann", "--nonce", "n")
        let file = try tool.file("login.json", body)
        let members = try #require(try JSONValue(parsing: body).object)
        let spread =
            "\n{\n" + members.members.map { "  \"\($0.name)\": \($0.value)" }.joined(separator: ",\n") + "\n}\n"
        for outcome in [
            try verify("--at", Self.noon, "--", body), try verify("--at", Self.noon, file),
            try verify("--at", Self.noon, "-", input: spread),
        ] {
            outcome.expect(0)
            #expect(try JSONValue(parsing: outcome.text).object?["sub"] == "ann")
            #expect(outcome.report.map(\.mark) == Array(repeating: "ok", count: 13), "code and user are compared")
        }
        for (option, reason) in [("--nonce", "nonce"), ("--code", "code"), ("--user", "user")] {
            let outcome = try verify("--at", Self.noon, option, "another", file)
            #expect(outcome.status == 1 && outcome.text.hasPrefix(reason + ": "), "an option takes precedence")
        }
    }

    @Test(
        "a body that the server would not read exits 2 and says why",
        arguments: [
            ("{", "ends before the JSON is complete"),
            (#"{"identityToken":"a","identityToken":"b"}"#, "identityToken twice"), ("{}", "identityToken is required"),
            (#"{"identityToken":7}"#, "identityToken must be a string, not a number"),
            (#"{"identityToken":"a","nonce":[]}"#, "nonce must be a string, not an array"),
        ])
    func unreadableBody(body: String, fault: String) throws {
        let outcome = try verify("-", input: body)
        #expect(outcome.status == 2)
        #expect(outcome.text.isEmpty && outcome.errorOutput.contains(fault), "\(outcome.errorOutput)")
    }

    @Test("the cause of a refusal is printed")
    func cause() throws {
        #expect(try verify("--at", Self.noon, try mint("--nonce", "n")).text.contains("the request has none"))
        let encoded = Data(try mint().utf8).base64EncodedString()
        #expect(try verify("--at", Self.noon, encoded).text.contains("encoded in base64 once more"))
    }
}
