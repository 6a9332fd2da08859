import Foundation
import JOSE
import JSON
import TestSupport
import Testing

@testable import StandIn

@Suite("Apple's keys")
struct PublishedKeysTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("apple-key.pem") }

    init() throws {
        folder = try TemporaryFolder()
    }

    private func published(_ keys: PublishedKeys) throws -> [String] {
        let set = try JWKSet(parsing: try keys.document.bytes, usableFor: [.RS256])
        #expect(set.skipped.isEmpty)
        return set.keyIDs
    }

    @Test("after a rotation a new one signs, the previous ones stay for two more rotations, and a restart keeps all")
    func rotation() throws {
        let keys = try PublishedKeys(in: folder.path)
        let first = try #require(keys.signing.keyID)
        #expect(try published(keys).count == 2)
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
        let again = try PublishedKeys(in: folder.path)
        #expect(try again.document == keys.document && again.signing.keyID == keys.signing.keyID)
        #expect(try Text.mode(of: path) == 0o600)
    }

    @Test("a folder with a single key is read")
    func oneKey() throws {
        let key = try SigningKey.generate(.RS256)
        try #require(key.pem).write(toFile: path, atomically: true, encoding: .utf8)
        let keys = try PublishedKeys(in: folder.path)
        #expect(keys.signing.thumbprint == key.thumbprint)
        #expect(try published(keys).count == 1)
    }

    @Test("a file without a key is refused", arguments: ["", "nonsense", "-----BEGIN PRIVATE KEY-----\nAAAA\n"])
    func unreadable(text: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        #expect(throws: (any Error).self) { try PublishedKeys(in: folder.path) }
    }
}
