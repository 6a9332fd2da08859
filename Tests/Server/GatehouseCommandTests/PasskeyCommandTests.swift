import JSON
import StandIn
import TestSupport
import Testing

@Suite("stand-in passkey")
struct PasskeyCommandTests {
    private static let creation = """
        {"passkeyId": "p1", "publicKey": {"rp": {"id": "localhost"}, "challenge": "AAAA", "user": {"id": "dXNlcg"},
         "pubKeyCredParams": [{"type": "public-key", "alg": -7}]}}
        """
    private static let request = #"{"passkeyId": "p2", "publicKey": {"rpId": "localhost", "challenge": "BBBB"}}"#
    private let tool: Tool
    private var path: String { tool.folder.file("keys/passkeys.json") }

    init() throws { tool = try Tool() }

    private func passkey(
        _ words: String..., input: String, environment: [String: String] = [:]
    ) throws -> Shell.Outcome {
        try Shell.outcome(
            of: ["/usr/bin/timeout", "20", Executable.standIn, "passkey"] + words + ["--passkeys", path],
            environment: environment, input: Array(input.utf8))
    }

    private func member(_ names: String..., of outcome: Shell.Outcome) throws -> JSONValue? {
        outcome.expect(0)
        return names.reduce(try JSONValue(parsing: outcome.text)) { $0?.object?[$1] }
    }

    @Test("create keeps the passkey in a file for its user alone, and sign answers with it")
    func ceremonies() throws {
        let created = try passkey("create", input: Self.creation)
        #expect(try member("passkeyId", of: created) == "p1")
        #expect(try Shell.run(["/usr/bin/stat", "-c", "%a", path]) == Array("600\n".utf8))
        let signed = try passkey("sign", "--counter", "0x10", "--flags", "0x05", input: Self.request)
        #expect(try member("passkeyId", of: signed) == "p2")
        #expect(try member("credential", "id", of: signed) == member("credential", "id", of: created))
        #expect(try member("credential", "response", "userHandle", of: signed) == "dXNlcg")
        let data = try #require(try member("credential", "response", "authenticatorData", of: signed)?.string)
        #expect(data.hasSuffix("MFAAAAEA"), "the end of the hash of localhost, the flags 05, the counter 00000010")
    }

    @Test("options without a passkeyId, also in a file, make the credential alone")
    func optionsAlone() throws {
        let file = try tool.file("options", #"{"rpId": "localhost", "challenge": "BBBB"}"#)
        _ = try passkey("create", input: Self.creation)
        #expect(try member("type", of: passkey("sign", "--options", file, input: "")) == "public-key")
    }

    @Test("a passkey that is not here and one that the options exclude are status 1, other faults 2 or 3")
    func refusals() throws {
        try passkey("sign", input: Self.request).expectRefusal(1, saying: "no passkey here is one of localhost")
        let id = try #require(try member("credential", "id", of: passkey("create", input: Self.creation))?.string)
        let excluding = Self.creation.replacing(#""rp""#, with: #""excludeCredentials": [{"id": "\#(id)"}], "rp""#)
        try passkey("create", input: excluding).expectRefusal(1, saying: "exclude")
        try passkey("sign", "--id", "AAAA", input: Self.request).expectRefusal(1, saying: "no passkey")
        try passkey("sign", input: #"{"code": "unknown_provider"}"#).expectRefusal(3, saying: "no valid rpId")
        try passkey("sign", input: "<html>").expectRefusal(3, saying: "standard input is no JSON object")
        for words in [["--fault", "key"], ["--flags", "256"], ["--counter", "-1"]] {
            try passkey("sign", words[0], words[1], input: Self.request).expectRefusal(2, saying: words[0])
        }
        try passkey("create", "--algorithm", "ES384", input: Self.creation).expectRefusal(2, saying: "ES256")
        try passkey("sign", input: Self.request, environment: ["APP_ENV": "production"]).expectRefusal(2)
        _ = try tool.file("keys/passkeys.json", "{")
        try passkey("sign", input: Self.request).expectRefusal(3, saying: path)
    }

    @Test("the help of both lists every fault that it knows")
    func help() throws {
        for (words, faults) in [("create", PasskeyFault.ofCreation), ("sign", PasskeyFault.ofSignIn)] {
            let help = try Shell.outcome(of: [Executable.standIn, "passkey", words, "--help"], environment: [:])
            for fault in faults { help.expect(0, printing: "\(fault.rawValue) ", fault.explanation) }
            let wrong = try passkey(words, "--fault", faults[1].rawValue, input: words == "sign" ? "" : Self.creation)
            #expect(wrong.status != 2)
        }
    }
}
