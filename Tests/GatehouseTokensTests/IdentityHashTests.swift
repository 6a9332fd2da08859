import Gatehouse
import GatehouseTokens
import Testing

@Suite("Hashes of identities")
struct IdentityHashTests {
    private let identity = Identity(provider: .apple, subject: "001", email: nil, transferSubject: "T1")

    private func ring(_ secret: [UInt8] = Sample.refreshSecret, previous: [UInt8]? = nil) throws -> KeyRing {
        try KeyRing(secret: secret, previous: previous)
    }

    @Test("are the same as long as the key is, whichever secret has sealed it")
    func rotation() throws {
        let hashes = IdentityHashes()
        let sealed = try hashes.sealed(by: ring())
        #expect(try IdentityHashes(sealed: sealed, by: ring())?.hashes(of: identity) == hashes.hashes(of: identity))
        let rotated = try ring(Sample.otherSecret, previous: Sample.refreshSecret)
        let opened = try #require(IdentityHashes(sealed: sealed, by: rotated))
        #expect(opened.hashes(of: identity) == hashes.hashes(of: identity))
        #expect(!IdentityHashes.isCurrent(sealed, in: rotated))
        let resealed = opened.sealed(by: rotated)
        #expect(IdentityHashes.isCurrent(resealed, in: rotated))
        let retired = try ring(Sample.otherSecret)
        #expect(IdentityHashes(sealed: resealed, by: retired) == hashes)
    }

    @Test("cannot be made with another secret, from a document that was changed, or without the document")
    func keyed() throws {
        let sealed = try IdentityHashes().sealed(by: ring())
        #expect(try IdentityHashes(sealed: sealed, by: ring(Sample.otherSecret)) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(try IdentityHashes(sealed: changed, by: ring()) == nil, "byte \(index)")
        }
        for document in [[], Array(sealed.dropLast())] {
            #expect(try IdentityHashes(sealed: document, by: ring()) == nil)
        }
        #expect(IdentityHashes().hashes(of: identity) != IdentityHashes().hashes(of: identity))
    }

    @Test("differ by provider, by subject, and by what the subject is")
    func domains() {
        let hashes = IdentityHashes()
        let names: [Identity] = [
            identity, Identity(provider: .dev, subject: "001", email: nil),
            Identity(provider: .apple, subject: "T1", email: nil, transferSubject: "001"),
        ]
        let all = names.flatMap(hashes.hashes)
        #expect(all.count == 5 && Set(all).count == 5)
        #expect(all.allSatisfy { $0.count == 32 })
    }
}
