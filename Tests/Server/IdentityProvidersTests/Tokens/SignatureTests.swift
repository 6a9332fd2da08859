import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

@Suite("The signature of an identity token")
struct SignatureTests {
    private let input: String
    private let signature: [UInt8]

    init() throws {
        let jws = try CompactJWS(ValidLogin.token)
        input = String(decoding: jws.signingInput, as: UTF8.self)
        signature = jws.signature
    }

    private func token(signedWith signature: [UInt8]) -> String {
        input + "." + Base64URL.encode(signature)
    }

    @Test("a signature of any other length is refused")
    func lengths() {
        for count in [0, 1, 128, 255] {
            expectRefusal(token(signedWith: Array(signature.prefix(count))), .signature, .afterKeyLookup)
        }
        let zero: [UInt8] = [0]
        expectRefusal(token(signedWith: signature + zero), .signature, .afterKeyLookup)
        expectRefusal(token(signedWith: zero + signature), .signature, .afterKeyLookup)
        expectRefusal(token(signedWith: Array(repeating: 0, count: 256)), .signature, .afterKeyLookup)
        expectRefusal(token(signedWith: Array(repeating: 0xFF, count: 256)), .signature, .afterKeyLookup)
    }

    @Test("a signature with one bit flipped is refused")
    func bits() {
        for index in stride(from: 0, to: signature.count, by: 15) {
            var flipped = signature
            flipped[index] ^= 1 << (index % 8)
            expectRefusal(token(signedWith: flipped), .signature, .afterKeyLookup)
        }
    }

    @Test("claims that were changed after signing are refused")
    func changedClaims() {
        let changed = TestToken.withClaim("sub", "another.user").split(separator: ".")[..<2].joined(separator: ".")
        expectRefusal(changed + "." + Base64URL.encode(signature), .signature, .afterKeyLookup)
    }

    @Test("a signature by another key is refused, even by another key of Apple's")
    func otherKeys() {
        expectRefusal(TestToken.make(by: ValidLogin.attackersKey), .signature, .afterKeyLookup)
        expectRefusal(TestToken.make(by: ValidLogin.secondKey), .signature, .afterKeyLookup)
        var header = ValidLogin.header
        header["kid"] = "KEY0000002"
        expectRefusal(TestToken.make(header: header.description), .signature, .afterKeyLookup)
        expectAcceptance(TestToken.make(header: header.description, by: ValidLogin.secondKey))
    }

    @Test("invalid signatures cause no fetch")
    func noFetch() {
        let fixture = VerifierFixture(policy: .ofTests, isWarm: true)
        let forged = IdentityCredential(identityToken: TestToken.make(by: ValidLogin.attackersKey))
        for _ in 0..<100 { #expect(fixture.verify(forged) == .failure(.identity(.signature, by: .apple))) }
        #expect(fixture.fetches == 0)
    }

    @Test(
        "a key for another purpose or algorithm, a weak one and one without a name are not used",
        arguments: ["use", "alg", "kty", "key_ops", "n", "kid"])
    func unusableKeys(member: String) throws {
        var jwk = try #require(ValidLogin.key.publicJWK)
        let weak = Base64URL.encode([UInt8](repeating: 0xFF, count: 128))
        let others: JSONObject = [
            "use": "enc", "alg": "RS512", "kty": "oct", "key_ops": ["sign"], "n": .string(weak),
        ]
        jwk[member] = others[member]
        let second = try #require(ValidLogin.secondKey.publicJWK)
        let set: JSONObject = ["keys": [.object(jwk), .object(second)]]
        let fixture = VerifierFixture(policy: .ofTests, isWarm: true) { set.bytes }
        #expect(
            fixture.verify(IdentityCredential(identityToken: ValidLogin.token))
                == .failure(.identity(.unknownKey, by: .apple)))
    }

    @Test("without a key set a login is unavailable, not refused")
    func unavailable() {
        let answers: [[UInt8]?] = [nil, [], Array("{}".utf8), Array(#"{"keys":[]}"#.utf8), Array("<html>".utf8)]
        for answer in answers {
            let fixture = VerifierFixture(policy: .ofTests, isWarm: false) { () throws(KeySetFault) in
                guard let answer else { throw KeySetFault("down") }
                return answer
            }
            for _ in 0..<3 {
                #expect(
                    fixture.verify(IdentityCredential(identityToken: ValidLogin.token))
                        == .failure(.providerUnavailable(.apple)))
            }
            #expect(fixture.fetches == 1)
        }
    }
}
