import Gatehouse
import GatehouseTokens
import Testing

@Suite("Codes of sign-ins through a browser")
struct AuthorizationTests {
    private static let proof = ProvenIdentity(
        identity: Identity(
            provider: .apple, subject: "001.\u{1F600}\"", email: "ann@example.com", emailVerified: true,
            isPrivateEmail: false, transferSubject: "002", unionSubject: nil),
        clientID: "com.example.web", issuedAt: Sample.now, nickname: nil, laterCode: "c.0.abc")

    private func service(_ secrets: [UInt8]...) throws -> JWTTokenService {
        let keys = try secrets.map { try KeyRing(secret: $0).current }
        return Sample.service(
            access: try KeyRing(secret: Sample.accessSecret),
            refresh: KeyRing(current: keys[0], previous: Array(keys.dropFirst())))
    }

    /// RFC 7636, appendix B.
    @Test("A verifier belongs to its own challenge")
    func challenge() throws {
        let service = try Sample.service()
        let (verifier, challenge) = (
            "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
        )
        #expect(service.isCodeVerifier(verifier, of: challenge))
        #expect(!service.isCodeVerifier(verifier + "A", of: challenge))
        #expect(!service.isCodeVerifier(challenge, of: challenge), "not the method plain")
        #expect(!service.isCodeVerifier("", of: ""))
    }

    @Test("What was proven is readable with the code and the secret alone, and without a trace in the sealed bytes")
    func seal() throws {
        let service = try Sample.service()
        let sealed = service.seal(Self.proof, withCode: "the code")
        #expect(service.open(sealed, withCode: "the code") == Self.proof)
        #expect(service.open(sealed, withCode: "another") == nil)
        #expect(service.open([], withCode: "the code") == nil)
        let other = try self.service(Sample.otherSecret)
        #expect(other.open(sealed, withCode: "the code") == nil)
        #expect(sealed.firstRange(of: "ann@example.com".utf8) == nil)
        #expect(service.seal(Self.proof, withCode: "the code") != sealed)
    }

    @Test("A rotation of the secret fails no exchange")
    func rotation() throws {
        let sealed = try Sample.service().seal(Self.proof, withCode: "code")
        let rotated = try service(Sample.otherSecret, Sample.refreshSecret)
        #expect(rotated.open(sealed, withCode: "code") == Self.proof)
    }
}
