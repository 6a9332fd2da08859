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

    /// The key that a server would make of such a text.
    private func key(_ text: String) throws -> SigningKey {
        text.hasPrefix("-----BEGIN") ? try SigningKey(pem: text) : try SigningKey(writtenSecret: Array(text.utf8))
    }

    @Test("prints a key in PEM, or a secret, and nothing else", arguments: algorithms)
    func prints(algorithm: String) throws {
        let outcome = try generate("--alg", algorithm)
        #expect(outcome.status == 0)
        #expect(outcome.complaint.isEmpty)
        let text = try #require(outcome.text.hasSuffix("\n") ? String(outcome.text.dropLast()) : nil)
        #expect(text.last?.isNewline == false)
        #expect(try key(text).algorithm.rawValue == algorithm)
        #expect(try generate("--alg", algorithm).text != outcome.text)
    }

    @Test("prints a key for ES256 where nothing else is asked for")
    func standard() throws {
        #expect(try key(generate().text).algorithm == .ES256)
    }

    @Test("a secret is 32 bytes in base64url")
    func secret() throws {
        let text = try generate("--alg", "HS256").text
        #expect(Base64URL.decode(String(text.dropLast()))?.count == 32)
    }

    @Test("writes it to a file that nobody else can read, and prints the kid alone", arguments: algorithms)
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

    @Test("does not touch a file that is there, nor what a link leads to")
    func existing() throws {
        let path = try tool.file("key", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: tool.folder.file("link"), withDestinationPath: tool.folder.file("nothing"))
        for taken in [path, tool.folder.file("link"), tool.folder.path] {
            let outcome = try generate("--out", taken)
            #expect(outcome.status == 1)
            #expect(outcome.text.isEmpty)
            #expect(outcome.complaint.contains("is there already"))
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
        #expect(!FileManager.default.fileExists(atPath: tool.folder.file("nothing")))
        let nowhere = try generate("--out", "/nowhere/key")
        #expect(nowhere.status == 3)
        #expect(nowhere.text.isEmpty)
    }

    @Test("tells a script all there is to know", arguments: algorithms)
    func json(algorithm: String) throws {
        let outcome = try generate("--alg", algorithm, "--json")
        #expect(outcome.text.filter(\.isNewline).count == 1)
        let json = try #require(try JSONValue(parsing: outcome.text).object)
        let member = algorithm == "HS256" ? "secret" : "pem"
        #expect(json.names == ["alg", "kid", member, "publicJwk"])
        #expect(json["alg"]?.string == algorithm)
        let key = try key(#require(json[member]?.string))
        #expect(json["kid"]?.string == key.keyID)
        #expect(json["publicJwk"]?.object == key.publicJWK)
        #expect((json["publicJwk"] == .null) == (algorithm == "HS256"))
    }

    @Test("tells a script everything but the key where that is in a file", arguments: algorithms)
    func jsonAndFile(algorithm: String) throws {
        let path = tool.folder.file("key")
        let outcome = try generate("--alg", algorithm, "--json", "--out", path)
        let json = try #require(try JSONValue(parsing: outcome.text).object)
        #expect(json.names == ["alg", "kid", "publicJwk"])
        let written = try String(contentsOfFile: path, encoding: .utf8)
        #expect(try json["kid"]?.string == key(String(written.dropLast())).keyID)
    }

    @Test("an algorithm that we do not sign with is wrong usage", arguments: ["RS256", "es256", "none", ""])
    func wrongAlgorithm(name: String) throws {
        let path = tool.folder.file("key")
        let outcome = try generate("--alg", name, "--out", path)
        #expect(outcome.status == 2)
        #expect(outcome.complaint.contains("--alg must be one of"))
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("what it writes is what the settings take")
    func fits() throws {
        var settings = tool.settings()
        for (name, algorithm) in [
            ("ACCESS_SIGNING_KEY", "ES256"), ("ACCESS_SIGNING_KEY_PREVIOUS", "EdDSA"), ("JWT_ACCESS_SECRET", "HS256"),
            ("JWT_REFRESH_SECRET", "HS256"),
        ] {
            settings[name] = nil
            settings[name + "_FILE"] = tool.folder.file(name)
            #expect(try generate("--alg", algorithm, "--out", tool.folder.file(name)).status == 0)
        }
        #expect(try tool.run(["check"], settings).text.contains("ok     configuration"))
    }
}
