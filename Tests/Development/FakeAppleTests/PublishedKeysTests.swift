import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import FakeApple

@Suite("The fake Apple's keys")
struct PublishedKeysTests {
    private let folder: TemporaryFolder
    private let keys: PublishedKeys

    init() throws {
        folder = try TemporaryFolder()
        keys = try PublishedKeys(in: folder.file("apple"))
    }

    private func published(_ keys: PublishedKeys) throws -> [String] {
        let set = try JWKSet(parsing: keys.document, usableFor: [.RS256])
        #expect(set.skipped.isEmpty)
        return set.keyIDs
    }

    @Test("several are published for RS256 signatures, and one of them signs")
    func several() throws {
        let set = try #require(try JSONValue(parsing: keys.document).object?["keys"]?.array)
        #expect(set.count == 2)
        for key in set {
            #expect(Set(key.object?.names ?? []) == ["kty", "kid", "use", "alg", "n", "e"])
            #expect(key.object?["alg"] == "RS256" && key.object?["use"] == "sig")
            #expect(key.object?["kid"]?.string?.count == 10)
        }
        #expect(try published(keys).first == keys.signing.keyID)
    }

    @Test("after a rotation a new one signs, and the previous ones stay for two more rotations")
    func rotation() throws {
        let first = try #require(keys.signing.keyID)
        for _ in 0..<2 {
            let before = try #require(keys.signing.keyID)
            try keys.rotate()
            #expect(keys.signing.keyID != before)
            #expect(try published(keys).contains(before))
            #expect(try published(keys).contains(first))
            #expect(try published(keys).first == keys.signing.keyID)
        }
        try keys.rotate()
        #expect(try !published(keys).contains(first))
        #expect(try published(keys).count == 3)
    }

    @Test("after a turnover no old key is published")
    func turnover() throws {
        let before = Set(try published(keys))
        try keys.turnOver()
        #expect(before.isDisjoint(with: try published(keys)))
        #expect(try published(keys).count == 2)
    }

    @Test("they survive a restart, also after a rotation")
    func restart() throws {
        for round in 0..<3 {
            if round == 1 { try keys.rotate() }
            if round == 2 { try keys.turnOver() }
            let again = try PublishedKeys(in: folder.file("apple"))
            #expect(again.document == keys.document)
            #expect(again.signing.keyID == keys.signing.keyID)
        }
        #expect(try Text.mode(of: folder.file("apple/apple-key.pem")) == 0o600)
    }

    @Test("a folder with a single key is read")
    func oneKey() throws {
        let key = try SigningKey.generate(.RS256)
        try FileManager.default.createDirectory(atPath: folder.file("old"), withIntermediateDirectories: true)
        try #require(key.pem).write(toFile: folder.file("old/apple-key.pem"), atomically: true, encoding: .utf8)
        let keys = try PublishedKeys(in: folder.file("old"))
        #expect(keys.signing.thumbprint == key.thumbprint)
        #expect(try published(keys).count == 1)
    }

    @Test("a file without a key is refused", arguments: ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n"])
    func unreadable(text: String) throws {
        try text.write(toFile: folder.file("apple/apple-key.pem"), atomically: true, encoding: .utf8)
        #expect(throws: (any Error).self) { try PublishedKeys(in: folder.file("apple")) }
    }
}
