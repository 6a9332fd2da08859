import Foundation
import JSON
import TestSupport
import Testing

@Suite("gatehouse apple verify")
struct AppleVerifyTests: AppleVerifySuite {
    let tool: Tool

    init() throws { tool = try AppleVerifyTool.shared.get() }

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

    @Test("--json prints the checks, the refusal and the claims as one document, and nothing else")
    func json() throws {
        let token = try mint("--sub", "ann")
        let good = try verify("--at", Self.noon, "--json", token)
        let accepted = try #require(try JSONValue(parsing: good.text).object)
        #expect(good.status == 0 && good.errorOutput == "")
        #expect(accepted.names == ["ok", "checks", "reason", "detail", "claims"])
        #expect(accepted["ok"] == true && accepted["reason"] == .null && accepted["detail"] == .null)
        #expect(try accepted["claims"] == JSONValue(parsing: verify("--at", Self.noon, token).text))
        let lines = report(try verify("--at", Self.noon, token))
        let checks = accepted["checks"]?.array?.compactMap(\.object) ?? []
        #expect(checks.map { $0["subject"]?.string } == lines.map(\.check))
        #expect(checks.map { $0["message"]?.string } == lines.map(\.text))
        #expect(checks.map { $0["state"] } == Array(repeating: "ok", count: 11) + ["skipped", "skipped"])

        let bad = try verify("--at", Self.noon, "--json", token, audience: "com.example.other")
        let refused = try #require(try JSONValue(parsing: bad.text).object)
        #expect(bad.status == 1 && bad.errorOutput == "")
        #expect(refused["ok"] == false && refused["reason"] == "audience" && refused["claims"] == .null)
        #expect(refused["detail"]?.string?.contains("com.example.app") == true)
        let fault = refused["checks"]?.array?.compactMap(\.object).first { $0["state"] == "fault" }
        #expect(fault?["subject"] == "audience")
        #expect(fault?["message"] == "com.example.app is not one of com.example.other")

        #expect(try verify("--at", "noon", "--json", token).text.isEmpty)
        let sent = try tool.runFakeApple(["notify", "consent-revoked", "--sub", "001", "--at", Self.noon])
        let notification = try verify("--notification", "--json", "--at", Self.noon, "-", input: sent.text)
        #expect(try JSONValue(parsing: notification.text).object?["claims"]?.object?["events"] != nil)
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

    @Test("a malformed token, another key and another login have different messages")
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
