import Foundation
import JSON
import StandIn
import TestSupport
import Testing

@Suite("gatehouse identity verify")
struct IdentityVerifyTests {
    private static let shared = Result { () throws in try StandInServer() }
    private static let checks = [
        "form", "algorithm", "key id", "type", "claims", "subject", "issuer", "audience", "authorized party", "times",
        "required claims", "key", "signature", "nonce", "access token", "used",
    ]

    private let server: StandInServer
    private let tool: Tool

    init() throws {
        (server, tool) = (try Self.shared.get(), try Tool())
        try configure()
    }

    private func configure(_ lines: String...) throws {
        let usual = ["KIND=openid", "ISSUER=\(server.issuer("main"))", "AUDIENCE=com.example.app"]
        _ = try tool.file("main.conf", (usual + lines).map { $0 + "\n" }.joined())
        _ = try tool.file("wechat.conf", "KIND=wechat\nAPP_ID=wx1\nAPP_SECRET=Xsecret\n")
    }

    private func mint(_ order: JSONObject = [:]) throws -> String {
        var order = order
        if order["nonce"] == nil { order["nonce"] = "n" }
        return try #require(try server.control("/openid/main/mint", order)["identityToken"]?.string)
    }

    private func verify(_ token: String, _ words: String..., name: String = "main", input: String = "") throws
        -> Shell.Outcome
    {
        let settings = ["GATEHOUSE_CONFIG": "", "PROVIDERS_DIR": tool.folder.path]
        var outcome = try tool.run(["identity", "verify", name, token] + words, settings, input: input)
        // On a busy machine the stand-in may answer too late for the command.
        for _ in 0..<4 where outcome.status == 3 {
            outcome = try tool.run(["identity", "verify", name, token] + words, settings, input: input)
        }
        if token.utf8.count > 100 { #expect(!outcome.everything.contains(token)) }
        return outcome
    }

    @Test("a valid token, also in a file, prints each check in order, and the claims", arguments: ["RS256", "ES256"])
    func good(algorithm: String) throws {
        let token = try mint(["sub": "ann", "alg": .string(algorithm)])
        let outcome = try verify(token, "--nonce", "n")
        outcome.expect(0)
        #expect(try JSONValue(parsing: outcome.text).object?["sub"] == "ann")
        let lines = outcome.report
        #expect(lines.map(\.check) == Self.checks)
        let skipped = ["authorized party", "required claims", "access token", "used"]
        #expect(lines.allSatisfy { $0.mark == (skipped.contains($0.check) ? "-" : "ok") }, "\(outcome.errorOutput)")
        #expect(try verify(token, "--nonce", "n", "--quiet").errorOutput.isEmpty)
        try verify("-", "--nonce", "n", input: token + "\n").expect(0)
        try verify(try tool.file("token", token + "\n"), "--nonce", "n").expect(0)
    }

    @Test(
        "a refused token names the check that failed and the reason, and leaves the later checks out",
        arguments: [
            (["claims": ["aud": "other"]], "audience", "audience"),
            (["iss": "https://x.example"], "issuer", "issuer"), (["header": ["alg": "none"]], "algorithm", "algorithm"),
            (["header": ["typ": "at+jwt"]], "type", "malformed"), (["header": ["kid": "x"]], "key", "unknown_key"),
            (["claims": ["sub": ""]], "subject", "malformed"), (["claims": ["events": [:]]], "claims", "malformed"),
            (["claims": ["azp": "other"]], "authorized party", "client"), (["forged": true], "signature", "signature"),
            (["aud": ["com.example.app", "other"]], "authorized party", "audience"),
            (["claims": ["exp": 1_500_000_000]], "times", "expired"),
            (["claims": ["exp": 99_999_999_999]], "times", "malformed"),
            (["claims": ["hd": "other.example"]], "required claims", "user"), (["nonce": "m"], "nonce", "nonce"),
            (["accessToken": "another"], "access token", "code"),
        ] as [(JSONObject, String, String)])
    func refused(order: JSONObject, check: String, reason: String) throws {
        var order = order
        try configure("REQUIRE=hd=example.com")
        if order["claims"]?.object?["hd"] == nil { order["hd"] = "example.com" }
        let outcome = try verify(try mint(order), "--nonce", "n", "--access-token", "the-access-token")
        #expect(outcome.status == 1 && outcome.text.hasPrefix(reason + ": "), "\(outcome.everything)")
        let lines = outcome.report
        let index = try #require(lines.firstIndex { $0.mark == "FAULT" })
        #expect(lines[index].check == check && lines.filter { $0.mark == "FAULT" }.count == 1)
        #expect(lines.map(\.check) == Self.checks)
        #expect(lines.dropFirst(index + 1).allSatisfy { $0.mark == "-" && $0.text == "not checked" })
        #expect(!lines[..<index].contains { $0.text == "not checked" })
    }

    @Test("every binding is compared when the login has it")
    func bindings() throws {
        try configure("REQUIRE=hd=example.com", "AUTHORIZED_PARTIES=ios")
        let token = try mint(["azp": "ios", "hd": "example.com", "accessToken": "t"])
        let outcome = try verify(token, "--nonce", "n", "--access-token", "t")
        #expect(outcome.status == 0)
        #expect(outcome.report.filter { $0.mark != "ok" }.map(\.check) == ["used"], "\(outcome.errorOutput)")
    }

    @Test("with challenges, the report says that only the server knows its nonces")
    func challenge() throws {
        try configure("NONCE=challenge")
        let outcome = try verify(try mint(), "--nonce", "n")
        #expect(outcome.status == 0 && outcome.report.suffix(2).map(\.check) == ["challenge", "used"])
        #expect(outcome.errorOutput.contains("whether it has issued the nonce"))
    }

    @Test("--jwks replaces the fetch, and --at the time")
    func offline() throws {
        let token = try mint()
        let keys = try tool.file(
            "keys.json", String(decoding: try HTTP.get(server.url("/openid/main/keys")), as: UTF8.self))
        try configure("JWKS_URL=http://127.0.0.1:1/")
        let fetched = try verify(token, "--nonce", "n")
        fetched.expectRefusal(3)
        #expect(fetched.errorOutput.contains("the keys of main cannot be fetched"))
        try verify(token, "--nonce", "n", "--jwks", keys).expect(0)
        let later = try verify(token, "--nonce", "n", "--jwks", keys, "--at", "4000000000")
        #expect(later.status == 1 && later.text.hasPrefix("expired: "))
        #expect(later.report.first { $0.mark == "FAULT" }?.text.contains("a MAX_AGE of 3600 s") == true)
    }

    @Test("--json prints one document")
    func json() throws {
        let outcome = try verify(try mint(["sub": "ann"]), "--nonce", "n", "--json")
        let document = try #require(try JSONValue(parsing: outcome.text).object)
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
        #expect(document.names == ["ok", "checks", "reason", "detail", "claims"])
        #expect(document["ok"] == true && document["claims"]?.object?["sub"] == "ann")
        let checks = document["checks"]?.array?.compactMap(\.object) ?? []
        #expect(checks.map { $0["subject"]?.string } == Self.checks)
        let refused = try #require(try JSONValue(parsing: verify(try mint(), "--nonce", "m", "--json").text).object)
        #expect(refused["ok"] == false && refused["reason"] == "nonce" && refused["claims"] == .null)
    }

    @Test(
        "a provider without identity tokens is wrong usage, and so is an unknown one",
        arguments: [
            ("wechat", "its kind is wechat"), ("nothing", "gatehouse providers list"),
            ("apple", "give --audience ID"), ("MAIN", "no provider has the name MAIN"),
        ])
    func unknown(name: String, text: String) throws {
        let outcome = try verify("x", name: name)
        #expect(outcome.status == 2 && outcome.text.isEmpty && outcome.errorOutput.contains(text))
    }

    @Test("an unusable key set or time is wrong usage")
    func unusable() throws {
        for content in ["{}", "<html>", #"{"keys":[]}"#] {
            let outcome = try verify(try mint(), "--jwks", try tool.file("keys.json", content))
            #expect(outcome.status == 2 && outcome.text.isEmpty && !outcome.errorOutput.isEmpty)
        }
        try verify("x", "--jwks", tool.folder.file("missing")).expect(2)
        try verify("x", "--at", "noon").expect(2)
    }
}
