import Gatehouse
import GatehouseTokens
import Testing

@Suite("Identity hashes")
struct IdentityHashTests {
    private let identity = Identity(provider: .apple, subject: "001", email: nil, transferSubject: "T1")

    private func ring(_ secret: [UInt8] = Sample.refreshSecret, previous: [UInt8]...) throws -> KeyRing {
        try KeyRing(secret: secret, previous: previous)
    }

    private func document(of hashes: IdentityHashes, by ring: KeyRing) throws -> [UInt8] {
        try #require(hashes.document(replacing: [], sealedBy: ring))
    }

    @Test("identity hashes stay the same when the secret that seals their key is rotated")
    func rotation() throws {
        let hashes = IdentityHashes()
        let first = try document(of: hashes, by: ring())
        #expect(
            try IdentityHashes(document: first, openedBy: ring()).hashes(of: identity) == hashes.hashes(of: identity))
        #expect(try hashes.document(replacing: first, sealedBy: ring()) == nil, "nothing has to change")
        let rotated = try ring(Sample.otherSecret, previous: Sample.refreshSecret)
        let opened = IdentityHashes(document: first, openedBy: rotated)
        #expect(opened.hashes(of: identity) == hashes.hashes(of: identity) && opened.unopenedCount == 0)
        let second = try #require(opened.document(replacing: first, sealedBy: rotated))
        let retired = IdentityHashes(document: second, openedBy: try ring(Sample.otherSecret))
        #expect(retired.hashes(of: identity) == hashes.hashes(of: identity))
    }

    @Test("a start with a wrong secret adds a hash key, and the first key is used again when its secret is back")
    func wrongSecret() throws {
        let hashes = IdentityHashes()
        let first = try document(of: hashes, by: ring())
        let wrong = IdentityHashes(document: first, openedBy: try ring(Sample.otherSecret))
        #expect(wrong.unopenedCount == 1)
        #expect(Set(wrong.hashes(of: identity)).isDisjoint(with: hashes.hashes(of: identity)))
        let second = try #require(wrong.document(replacing: first, sealedBy: ring(Sample.otherSecret)))
        let right = IdentityHashes(document: second, openedBy: try ring())
        #expect(right.hashes(of: identity) == hashes.hashes(of: identity) && right.unopenedCount == 1)
        #expect(try right.document(replacing: second, sealedBy: ring()) == nil)
        let both = IdentityHashes(document: second, openedBy: try ring(previous: Sample.otherSecret))
        let all = hashes.hashes(of: identity) + wrong.hashes(of: identity)
        #expect(Set(both.hashes(of: identity)) == Set(all) && both.unopenedCount == 0)
    }

    @Test("a hash key does not open with another secret or from a changed document")
    func keyed() throws {
        let hashes = IdentityHashes()
        let document = try document(of: hashes, by: ring())
        for index in document.indices {
            var changed = document
            changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            let opened = try IdentityHashes(document: changed, openedBy: ring())
            #expect(opened.unopenedCount == 1, "byte \(index)")
            #expect(Set(opened.hashes(of: identity)).isDisjoint(with: hashes.hashes(of: identity)))
        }
        #expect(IdentityHashes().hashes(of: identity) != IdentityHashes().hashes(of: identity))
    }

    @Test("identity hashes differ by provider, by subject, and by the kind of subject")
    func domains() {
        let hashes = IdentityHashes()
        let names: [Identity] = [
            identity, Identity(provider: .dev, subject: "001", email: nil),
            Identity(provider: .apple, subject: "T1", email: nil, transferSubject: "001"),
        ]
        let all = names.flatMap { hashes.hashes(of: $0) }
        #expect(all.count == 5 && Set(all).count == 5)
        #expect(all.allSatisfy { $0.count == 32 })
    }
}
