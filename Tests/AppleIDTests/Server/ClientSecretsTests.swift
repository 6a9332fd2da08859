import AppleID
import Gatehouse
import JOSE
import JSON
import Testing

@Suite("Client secrets")
struct ClientSecretsTests {
    private let key: SigningKey
    private let secrets: ClientSecrets

    init() throws {
        key = try SigningKey.generate(.ES256, keyID: "ABC123DEFG")
        secrets = ClientSecrets(teamID: "DEF123GHIJ", key: key)
    }

    @Test("a secret says what Apple asks for, and nothing else")
    func content() throws {
        let jws = try CompactJWS(secrets.secret(for: "com.example.app", now: Genuine.moment))
        #expect(jws.header == ["alg": "ES256", "kid": "ABC123DEFG"])
        let expected: JSONObject = [
            "iss": "DEF123GHIJ", "iat": .integer(Genuine.now - 60), "exp": .integer(Genuine.now + 300),
            "aud": "https://appleid.apple.com", "sub": "com.example.app",
        ]
        #expect(try jws.claims() == expected)
    }

    @Test("it is signed by the developer's key, R and S side by side")
    func signature() throws {
        let jws = try CompactJWS(secrets.secret(for: "com.example.app", now: Genuine.moment))
        #expect(jws.signature.count == 64)
        try jws.verify(with: key.verificationKey)
        let other = try SigningKey.generate(.ES256, keyID: "ABC123DEFG")
        #expect(throws: JOSEError.signature) { try jws.verify(with: other.verificationKey) }
    }

    @Test("no other kind of key signs one")
    func otherKeys() async {
        await #expect(processExitsWith: .failure) {
            _ = ClientSecrets(teamID: "DEF123GHIJ", key: try SigningKey.generate(.EdDSA))
        }
    }
}
