import Gatehouse
import IdentityProviders
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

    @Test("a client secret has the claims that Apple requires, and no others")
    func content() throws {
        let jws = try CompactJWS(secrets.secret(for: "com.example.app", now: ValidLogin.now))
        #expect(jws.header == ["alg": "ES256", "kid": "ABC123DEFG"])
        let expected: JSONObject = [
            "iss": "DEF123GHIJ", "iat": .integer(ValidLogin.seconds - 60), "exp": .integer(ValidLogin.seconds + 300),
            "aud": "https://appleid.apple.com", "sub": "com.example.app",
        ]
        #expect(try jws.claims() == expected)
    }

    @Test("a client secret is signed with the developer's key, as R and S in 64 bytes")
    func signature() throws {
        let jws = try CompactJWS(secrets.secret(for: "com.example.app", now: ValidLogin.now))
        #expect(jws.signature.count == 64)
        try jws.verify(with: key.verificationKey)
        let other = try SigningKey.generate(.ES256, keyID: "ABC123DEFG")
        #expect(throws: JOSEError.signature) { try jws.verify(with: other.verificationKey) }
    }

    @Test("a key for another algorithm is not accepted")
    func otherKeys() async {
        await #expect(processExitsWith: .failure) {
            _ = ClientSecrets(teamID: "DEF123GHIJ", key: try SigningKey.generate(.EdDSA))
        }
    }
}
