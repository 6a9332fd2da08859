import Foundation
import JSON
import TestSupport
import Testing

@Suite("gatehouse apple verify")
struct AppleVerifyTests {
    private static let noon = "1760000000"

    private let tool: Tool
    private let keys: String

    /// A key of the fake Apple's, published in a file.
    init() throws {
        tool = try Tool()
        keys = tool.folder.file("keys.json")
        let apple = try tool.start(["fake-apple", "--port", "0", "--keys", tool.folder.file("apple")], [:])
        defer { apple.stop() }
        #expect(Eventually.holds { apple.log.contains("http://") })
        let address = try #require(apple.log.firstMatch(of: /http:\/\/127\.0\.0\.1:\d+/)?.output)
        _ = try tool.file("keys.json", String(decoding: try HTTP.get("\(address)/auth/keys"), as: UTF8.self))
    }

    private func mint(_ words: String...) throws -> String {
        let outcome = try tool.run(
            ["fake-apple", "mint", "--keys", tool.folder.file("apple"), "--at", Self.noon] + words)
        #expect(outcome.status == 0)
        return String(outcome.text.dropLast())
    }

    private func verify(_ words: String..., input: String = "", audience: String = "com.example.app") throws
        -> Shell.Outcome
    {
        try tool.run(["apple", "verify", "--jwks", keys, "--audience", audience] + words, input: input)
    }

    @Test("a token that is good is answered with its claims, as a word and on standard input")
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

    @Test("a token of today is judged as of now")
    func today() throws {
        let outcome = try tool.run(["fake-apple", "mint", "--keys", tool.folder.file("apple")])
        #expect(try verify("-", input: outcome.text).status == 0)
        #expect(try verify(try mint()).text.hasPrefix("expired"))
    }

    @Test(
        "a token that is bad is answered with the reason",
        arguments: [
            (["--claim", "aud=other"], "audience"), (["--claim", "iss=https://x.example"], "issuer"),
            (["--header", "alg=none"], "algorithm"), (["--header", "kid=unknown"], "unknown_key"),
            (["--claim", "exp=1759999000"], "expired"), (["--claim", "iat=1760009000"], "not_yet_valid"),
            (["--claim", "events={}"], "malformed"), (["--claim", "sub=null"], "malformed"),
            (["--nonce", "n"], "nonce"), (["--header", "crit=[]"], "malformed"),
        ])
    func bad(order: [String], reason: String) throws {
        let outcome = try tool.run(
            ["fake-apple", "mint", "--keys", tool.folder.file("apple"), "--at", Self.noon] + order)
        let verdict = try verify("--at", Self.noon, String(outcome.text.dropLast()))
        #expect(verdict.status == 1)
        #expect(verdict.text.hasPrefix(reason + ": "))
        #expect(verdict.text.filter(\.isNewline).count == 1)
    }

    @Test("a token by another key than the published one is refused")
    func forged() throws {
        let minted = try tool.run([
            "fake-apple", "mint", "--keys", tool.folder.file("forger"), "--at", Self.noon, "--header",
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

    @Test("what came with the login is compared with the token")
    func binding() throws {
        let minted = try tool.run([
            "fake-apple", "mint", "--login", "--keys", tool.folder.file("apple"), "--at", Self.noon, "--nonce", "n",
        ])
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

    @Test("several audiences and issuers may be given")
    func lists() throws {
        let token = try mint("--aud", "com.example.web", "--claim", "iss=https://account.apple.com")
        let outcome = try verify(
            "--at", Self.noon, "--audience", "com.example.web", "--audience", "com.example.tv", "--issuer",
            "https://x.example", "--issuer",
            "https://account.apple.com", token)
        #expect(outcome.status == 0)
    }

    @Test("what cannot be judged is wrong usage, and no verdict")
    func unusable() throws {
        let token = try mint()
        #expect(try verify("--at", "noon", token).status == 2)
        for file in [tool.folder.file("missing"), try tool.file("x.json", "{}"), try tool.file("y.json", "<html>")] {
            let outcome = try tool.run("apple", "verify", "--jwks", file, "--audience", "a", token)
            #expect(outcome.status == 2)
            #expect(outcome.text.isEmpty && !outcome.complaint.isEmpty)
        }
        #expect(try verify("-").text.hasPrefix("malformed"))
        #expect(try verify("no-token").status == 1)
    }
}
