import Gatehouse
import GatehouseTokens
import JOSE
import Testing

@Suite("Codes")
struct CodeTests {
    private static let secrets = ["first", "second"].map { "a refresh secret of 32 bytes, the \($0)" }

    private func service(_ secrets: [String]) throws -> JWTTokenService {
        let keys = try secrets.map { try SigningKey(writtenSecret: Array($0.utf8)) }
        let ring = KeyRing(current: keys[0], previous: Array(keys.dropFirst()))
        return JWTTokenService(issuer: "i", audience: "a", accessKeys: ring, refreshKeys: ring)
    }

    @Test("A code has six digits, is the same for the same seed and id, and differs with either")
    func form() throws {
        let service = try service(Self.secrets)
        let codes = (0..<200).map { service.code(seed: [UInt8($0)], id: "id").text }
        #expect(codes.allSatisfy { $0.wholeMatch(of: /[0-9]{6}/) != nil })
        #expect(Set(codes).count > 190)
        #expect(codes.contains { $0.hasPrefix("0") })
        #expect(service.code(seed: [1], id: "id").text == codes[1])
        #expect(service.code(seed: [1], id: "other").text != codes[1])
    }

    @Test("A hash is right for its code and its id alone")
    func hash() throws {
        let service = try service(Self.secrets)
        let (text, hash) = service.code(seed: [7], id: "id")
        #expect(service.isCode(text, id: "id", hashedAs: hash))
        #expect(!service.isCode(text, id: "other", hashedAs: hash))
        #expect(!service.isCode(text + " ", id: "id", hashedAs: hash))
        #expect(!service.isCode(text, id: "id", hashedAs: []))
    }

    @Test(
        "After a rotation of the secret, a code is still accepted and can be sent again; with a lost one, it is neither"
    )
    func rotation() throws {
        let (text, hash) = try service([Self.secrets[0]]).code(seed: [7], id: "id")
        let rotated = try service([Self.secrets[1], Self.secrets[0]])
        #expect(rotated.isCode(text, id: "id", hashedAs: hash))
        #expect(rotated.code(seed: [7], id: "id", hashedAs: hash) == text)
        let other = try service([Self.secrets[1]])
        #expect(!other.isCode(text, id: "id", hashedAs: hash))
        #expect(other.code(seed: [7], id: "id", hashedAs: hash) == nil)
    }
}
