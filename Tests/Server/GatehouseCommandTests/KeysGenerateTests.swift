import Foundation
import GatehouseTokens
import JOSE
import JSON
import TestSupport
import Testing

@Suite("gatehouse keys generate")
struct KeysGenerateTests {
    private static let algorithms = ["ES256", "EdDSA", "HS256"]

    private let tool: Tool

    init() throws {
        tool = try Tool()
    }

    private func generate(_ options: String...) throws -> Shell.Outcome {
        try tool.run(["keys", "generate"] + options)
    }

    /// The key that a server reads from this text.
    private func key(_ text: String) throws -> SigningKey {
        text.hasPrefix("-----BEGIN") ? try SigningKey(pem: text) : try SigningKey(writtenSecret: Array(text.utf8))
    }

    @Test("prints only a key in PEM, of ES256 by default, or a secret of 32 bytes in base64url", arguments: algorithms)
    func prints(algorithm: String) throws {
        let words = algorithm == "ES256" ? [] : ["--alg", algorithm]
        let outcome = try tool.run(["keys", "generate"] + words)
        #expect(outcome.status == 0 && outcome.errorOutput.isEmpty)
        let text = try #require(outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : nil)
        #expect(text.last?.isNewline == false)
        #expect(try key(text).algorithm.rawValue == algorithm)
        #expect(algorithm != "HS256" || Base64URL.decode(text)?.count == 32)
        #expect(try generate("--alg", algorithm).text != outcome.text)
    }

    @Test("--out writes a private file, and prints only the kid", arguments: algorithms)
    func file(algorithm: String) throws {
        let path = tool.folder.file("key")
        let outcome = try generate("--alg", algorithm, "--out", path)
        #expect(outcome.status == 0)
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(written.hasSuffix("\n"))
        #expect(try outcome.text == (key(String(written.dropLast())).keyID ?? "") + "\n")
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("--out changes neither an existing file nor the target of a link")
    func existing() throws {
        let path = try tool.file("key", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder.file("link"), withDestinationPath: tool.folder.file("nothing"))
        for taken in [path, tool.folder.file("link"), tool.folder.path] {
            let outcome = try generate("--out", taken)
            outcome.expectRefusal(1)
            #expect(outcome.errorOutput.contains("exists and was not changed"))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("nothing")))
        try generate("--out", "/nowhere/key").expectRefusal(3)
    }

    @Test("--json prints every field, and with --out every field but the key", arguments: algorithms)
    func json(algorithm: String) throws {
        let outcome = try generate("--alg", algorithm, "--json")
        #expect(outcome.text.filter(\.isNewline).count == 1)
        let json = try #require(try JSONValue(parsing: outcome.text).object)
        let member = algorithm == "HS256" ? "secret" : "pem"
        #expect(json.names == ["alg", "kid", member, "publicJwk"] && json["alg"]?.string == algorithm)
        let key = try key(#require(json[member]?.string))
        #expect(json["kid"]?.string == key.keyID && json["publicJwk"]?.object == key.publicJWK)
        #expect((json["publicJwk"] == .null) == (algorithm == "HS256"))
        let written = try generate("--alg", algorithm, "--json", "--out", tool.folder.file("key"))
        #expect(try JSONValue(parsing: written.text).object?.names == ["alg", "kid", "publicJwk"])
    }

    @Test("an unsupported algorithm is wrong usage", arguments: ["RS256", "es256", "none", ""])
    func wrongAlgorithm(name: String) throws {
        let path = tool.folder.file("key")
        try generate("--alg", name, "--out", path).expect(2, saying: "--alg must be one of")
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("the settings accept its output")
    func fits() throws {
        var settings = tool.settings()
        for (name, algorithm) in [
            ("ACCESS_SIGNING_KEY", "ES256"), ("ACCESS_SIGNING_KEY_PREVIOUS", "EdDSA"), ("JWT_ACCESS_SECRET", "HS256"),
            ("JWT_REFRESH_SECRET", "HS256"),
        ] {
            settings[name] = nil
            settings[name + "_FILE"] = tool.folder.file(name)
            try generate("--alg", algorithm, "--out", tool.folder.file(name)).expect(0)
        }
        #expect(try tool.run(["check"], settings).text.contains("ok     configuration"))
    }
}
