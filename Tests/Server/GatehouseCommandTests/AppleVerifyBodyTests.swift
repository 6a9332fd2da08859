import Foundation
import JSON
import TestSupport
import Testing

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

    @Test("the cause of a refusal is printed", arguments: [("--nonce", "n", "the request has none")])
    func cause(option: String, value: String, words: String) throws {
        #expect(try verify("--at", Self.noon, try mint(option, value)).text.contains(words))
        let encoded = Data(try mint().utf8).base64EncodedString()
        #expect(try verify("--at", Self.noon, encoded).text.contains("encoded in base64 once more"))
    }
}
