import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

@Suite("The keys of an OpenID provider")
struct OpenIDKeyTests {
    private static let second = OpenIDLogin.key(.RS256, "second")

    private func withoutKeyID(by key: SigningKey) -> String { OpenIDLogin.token(header: [("kid", nil)], by: key) }

    @Test("a token without a kid is verified with the only fitting key", arguments: OpenIDLogin.keys.map(\.algorithm))
    func singleKey(algorithm: Algorithm) throws {
        let key = try #require(OpenIDLogin.keys.first { $0.algorithm == algorithm })
        let fixture = OpenIDFixture()
        #expect(fixture.fault(withoutKeyID(by: key)) == nil)
        #expect(fixture.fault(withoutKeyID(by: OpenIDLogin.key(algorithm, "forger"))) == .signature)
    }

    @Test("a token without a kid is verified with each of several fitting keys, up to eight")
    func severalKeys() {
        let keys = (0..<9).map { OpenIDLogin.key(.ES256, "key-\($0)") }
        let fixture = OpenIDFixture(published: ValidLogin.bytes(ofSetWith: [OpenIDLogin.rsa] + keys))
        for key in keys.dropLast() { #expect(fixture.fault(withoutKeyID(by: key)) == nil) }
        #expect(fixture.fault(withoutKeyID(by: keys[8])) == .signature)
        #expect(fixture.fault(OpenIDLogin.token(by: keys[8])) == nil, "with its kid it is found")
        #expect(fixture.fetches == 1)
    }

    @Test("a published key without a kid verifies only tokens without one")
    func namelessKey() {
        let set = OpenIDLogin.set([OpenIDLogin.jwk(OpenIDLogin.p256, [("kid", nil)])])
        let fixture = OpenIDFixture(published: set)
        #expect(fixture.fault(withoutKeyID(by: OpenIDLogin.p256)) == nil)
        #expect(fixture.fault(OpenIDLogin.token(by: OpenIDLogin.p256)) == .unknownKey)
    }

    @Test("without a fitting key, a token without a kid is like one with an unknown kid")
    func noFittingKey() {
        let fixture = OpenIDFixture(published: ValidLogin.bytes(ofSetWith: [OpenIDLogin.rsa]))
        #expect(fixture.fault(withoutKeyID(by: OpenIDLogin.p256)) == .unknownKey)
        #expect(fixture.fault(withoutKeyID(by: OpenIDLogin.p256)) == .unknownKey)
        #expect(fixture.fetches == 1, "no second fetch within the cooldown")
    }

    @Test("all keys with the kid of a token are tried, of its algorithm alone")
    func duplicateKeyIDs() {
        let first = OpenIDLogin.jwk(OpenIDLogin.rsa, [("kid", "same")])
        let other = OpenIDLogin.jwk(Self.second, [("kid", "same")])
        let elliptic = OpenIDLogin.jwk(OpenIDLogin.p256, [("kid", "same")])
        let header: [(String, JSONValue?)] = [("kid", "same")]
        for set in [[first, other, elliptic], [elliptic, other, first]] {
            let fixture = OpenIDFixture(published: OpenIDLogin.set(set))
            for key in [OpenIDLogin.rsa, Self.second, OpenIDLogin.p256] {
                #expect(fixture.fault(OpenIDLogin.token(header: header, by: key)) == nil)
            }
            let forged = OpenIDLogin.token(header: header, by: OpenIDLogin.key(.RS256, "same"))
            #expect(fixture.fault(forged) == .signature)
            #expect(fixture.fault(OpenIDLogin.token(header: header, by: OpenIDLogin.ed25519)) == .algorithm)
        }
    }

    /// Keys as the OpenID Foundation's conformance suite publishes them beside the usable one.
    private static let unusable: [JSONObject] = [
        ["kty": "AKP", "alg": "ML-DSA-44", "kid": "post-quantum", "pub": "AAAA"],
        ["kty": "made-up", "kid": "invented", "x": "AAAA"],
        OpenIDLogin.jwk(second, [("alg", "RS999"), ("kid", "rsa-unknown-alg")]),
        OpenIDLogin.jwk(OpenIDLogin.key(.ES256, "e"), [("alg", "ES999"), ("kid", "ec-unknown-alg")]),
        ["kty": "EC", "crv": "P-999", "kid": "ec-unknown-curve", "x": "AAAA", "y": "AAAA"],
    ]

    private static let hostile: [JSONObject] = [
        OpenIDLogin.jwk(
            second, [("n", .string(Base64URL.encode([UInt8](repeating: 0xFF, count: 128)))), ("kid", "short")]),
        OpenIDLogin.jwk(second, [("use", "enc")]), OpenIDLogin.jwk(second, [("key_ops", ["sign"])]),
        OpenIDLogin.jwk(OpenIDLogin.p256, [("y", OpenIDLogin.jwk(OpenIDLogin.p256)["x"]), ("kid", "off-curve")]),
        ["kty": "oct", "kid": "secret", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0"],
    ]

    @Test("unusable keys never fail a set")
    func unusableKeys() {
        let set = OpenIDLogin.set(Self.unusable + Self.hostile + [OpenIDLogin.jwk(OpenIDLogin.rsa)])
        let fixture = OpenIDFixture(published: set)
        #expect(fixture.fault(OpenIDLogin.token()) == nil)
        #expect(fixture.fault(withoutKeyID(by: OpenIDLogin.rsa)) == nil)
        for name in ["rsa-unknown-alg", "ec-unknown-alg", "short", "second", "off-curve", "secret", "post-quantum"] {
            #expect(fixture.fault(OpenIDLogin.token(header: [("kid", .string(name))])) == .unknownKey)
        }
    }

    @Test("without a usable key the provider is unavailable", arguments: [nil, unusable, hostile, []])
    func unavailable(keys: [JSONObject]?) {
        let fixture = OpenIDFixture(published: keys.map(OpenIDLogin.set))
        for _ in 0..<3 {
            #expect(fixture.verify(OpenIDLogin.token()) == .failure(.providerUnavailable(OpenIDFixture.name)))
        }
        #expect(fixture.fetches == 1)
    }

    @Test("keys for algorithms that the policy does not name are left out")
    func policyAlgorithms() throws {
        let policy = TokenRules.of(algorithms: [.ES256])
        let fixture = OpenIDFixture(policy: policy, published: ValidLogin.bytes(ofSetWith: [OpenIDLogin.rsa]))
        let refusal = fixture.verify(OpenIDLogin.token(by: OpenIDLogin.p256))
        #expect(refusal == .failure(.providerUnavailable(OpenIDFixture.name)))
    }

    @Test("a refusal names its provider")
    func name() {
        let name = OpenIDFixture.provider("OTHER_1")
        let fixture = OpenIDFixture(name: name)
        #expect(fixture.verify("x") == .failure(.identity(.malformed(.notThreeParts), by: name)))
    }
}
