import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Signing keys")
struct SigningKeyTests {
    @Test("a key read back from its PEM is the same key", arguments: [Algorithm.RS256, .ES256, .EdDSA])
    func pemRoundTrip(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let again = try SigningKey(pem: try #require(key.pem))
        #expect(again.algorithm == algorithm)
        #expect(again.thumbprint == key.thumbprint)
        #expect(again.publicJWK == key.publicJWK)
        let token = try CompactJWS(try CompactJWS.sign(payload: [1], with: again))
        try token.verify(with: key.verificationKey)
    }

    @Test("the key id is the thumbprint unless another one is given")
    func names() throws {
        let pem = try #require(try SigningKey.generate(.ES256).pem)
        let unnamed = try SigningKey(pem: pem)
        #expect(unnamed.keyID == unnamed.thumbprint)
        #expect(unnamed.verificationKey.keyID == unnamed.thumbprint)
        #expect(try SigningKey(pem: pem, keyID: "k").keyID == "k")
    }

    @Test("an unacceptable key id is rejected", arguments: ["", "a\nb", String(repeating: "k", count: 257)])
    func refusedNames(keyID: String) {
        for algorithm in Algorithm.allCases {
            #expect(throws: JOSEError.unusableKey("its kid is not acceptable")) {
                try SigningKey.generate(algorithm, keyID: keyID)
            }
        }
    }

    @Test("a published key contains no private part", arguments: Algorithm.allCases)
    func publishesNoSecrets(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let expected: [Algorithm: [String]] = [
            .RS256: ["kty", "n", "e", "alg", "use", "kid"], .ES256: ["kty", "crv", "x", "y", "alg", "use", "kid"],
            .EdDSA: ["kty", "crv", "x", "alg", "use", "kid"],
        ]
        #expect(key.publicJWK?.names == expected[algorithm])
        #expect((key.pem == nil) == (algorithm == .HS256))
    }

    @Test("a secret has at least 32 bytes")
    func shortSecrets() throws {
        #expect(throws: JOSEError.unusableKey("the secret has 31 bytes, and needs at least 32")) {
            try SigningKey(hmacSecret: [UInt8](repeating: 1, count: 31))
        }
        #expect(throws: JOSEError.unusableKey("the secret has 0 bytes, and needs at least 32")) {
            try VerificationKey(hmacSecret: [], keyID: nil)
        }
        #expect(throws: Never.self) { try SigningKey(hmacSecret: [UInt8](repeating: 1, count: 32)) }
    }

    @Test("a text that is not PEM is rejected with a reason")
    func brokenPEM() {
        #expect(throws: JOSEError.unusableKey("not a private key in PEM")) { try SigningKey(pem: "secret") }
    }
}
