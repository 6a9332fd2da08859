import Gatehouse
import IdentityProviders
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("What binds an OpenID provider's token to its request")
struct OpenIDBindingTests {
    struct Nonce: CustomTestStringConvertible {
        let claim: JSONValue?
        let sent: String?
        var faults: [TokenRules.NonceRule: NonceFault] = [:]

        var testDescription: String { "claim \(claim?.description ?? "-"), sent \(sent ?? "-")" }

        static let raw = NonceCase.nonce
        static let hashed = NonceCase.hashed

        /// The same fault by each rule.
        static func refused(_ claim: JSONValue?, _ sent: String?, _ fault: NonceFault) -> Nonce {
            Nonce(claim: claim, sent: sent, faults: [.required: fault, .ifSent: fault, .challenge: fault])
        }

        static let all = [
            Nonce(claim: .string(raw), sent: raw), Nonce(claim: .string(hashed), sent: raw),
            Nonce(claim: .string(hashed), sent: hashed),
            Nonce(claim: nil, sent: nil, faults: [.required: .required, .challenge: .challengeRequired]),
            Nonce(claim: .some(.null), sent: nil, faults: [.required: .required, .challenge: .challengeRequired]),
            Nonce(claim: .string(raw), sent: nil, faults: [.required: .notSent, .challenge: .notSent]),
            // An empty nonce satisfies nothing: neither as it is nor by its hash.
            .refused("", "", .different), .refused(nil, "", .notInToken),
            .refused("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "", .different),
            Nonce(claim: 7, sent: nil, faults: [.required: .notSent, .challenge: .notSent]),
            refused(nil, raw, .notInToken), refused(.some(.null), raw, .notInToken),
            refused("another", raw, .different), refused(7, "7", .different), refused("", raw, .different),
            refused([.string(raw)], raw, .different), refused(.string(hashed.uppercased()), raw, .hashInOtherForm),
            refused(.string(raw), hashed, .swapped),
        ]
    }

    @Test("a nonce is compared raw or as its hash, by each rule", arguments: Nonce.all, TokenRules.NonceRule.ofOpenID)
    func nonce(given: Nonce, rule: TokenRules.NonceRule) {
        let fixture = OpenIDFixture(policy: .of(nonce: rule))
        let token = OpenIDLogin.token([("nonce", given.claim)])
        #expect(fixture.fault(token, nonce: given.sent) == given.faults[rule].map(IdentityFault.nonce))
    }

    @Test("nonce_supported is Apple's alone", arguments: TokenRules.NonceRule.ofOpenID)
    func unsupported(rule: TokenRules.NonceRule) {
        let token = OpenIDLogin.token([("nonce", nil), ("nonce_supported", false)])
        #expect(OpenIDFixture(policy: .of(nonce: rule)).fault(token) == .nonce(.notInToken))
    }

    @Test("only the rule challenge demands one of the server's own nonces", arguments: TokenRules.NonceRule.ofOpenID)
    func rules(rule: TokenRules.NonceRule) {
        #expect(OpenIDFixture(policy: .of(nonce: rule)).requiresChallenge == (rule == .challenge))
    }

    /// The access token and its `at_hash` of OpenID Connect Core 1.0, appendix A.
    private static let accessToken = WebRequest.accessToken
    private static let published = WebRequest.accessTokenHash

    private static func hash(for algorithm: Algorithm) -> String {
        algorithm == .EdDSA
            ? Base64URL.encode(Array(SHA512.hash(accessToken).prefix(32)))
            : Base64URL.encode(Array(SHA256.hash(accessToken).prefix(16)))
    }

    @Test("the specification's access token has its at_hash")
    func publishedHash() {
        #expect(Self.hash(for: .RS256) == Self.published)
        let token = OpenIDLogin.token([("at_hash", .string(Self.published))])
        expectAcceptance(ofOpenID: token, accessToken: Self.accessToken)
    }

    @Test(
        "at_hash is compared with the access token by the hash of the algorithm",
        arguments: OpenIDLogin.keys.map(\.algorithm))
    func accessTokenHash(algorithm: Algorithm) throws {
        let key = try #require(OpenIDLogin.keys.first { $0.algorithm == algorithm })
        let right = OpenIDLogin.token([("at_hash", .string(Self.hash(for: algorithm)))], by: key)
        expectAcceptance(ofOpenID: right, accessToken: Self.accessToken)
        #expect(OpenIDFixture().fault(right, accessToken: "another") == .accessToken)
        let other: Algorithm = algorithm == .EdDSA ? .RS256 : .EdDSA
        let wrong = OpenIDLogin.token([("at_hash", .string(Self.hash(for: other)))], by: key)
        #expect(OpenIDFixture().fault(wrong, accessToken: Self.accessToken) == .accessToken)
    }

    @Test(
        "an at_hash that is not a hash is refused if an access token was sent",
        arguments: ["", 7, [], "77QmUPtjPfzWtF2AnpK9RQ="] as [JSONValue])
    func otherHash(claim: JSONValue) {
        let token = OpenIDLogin.token([("at_hash", claim)])
        #expect(OpenIDFixture().fault(token, accessToken: Self.accessToken) == .accessToken)
        expectAcceptance(ofOpenID: token)
    }

    @Test("a token without at_hash says nothing about the access token", arguments: [nil, .null] as [JSONValue?])
    func withoutHash(claim: JSONValue?) {
        expectAcceptance(ofOpenID: OpenIDLogin.token([("at_hash", claim)]), accessToken: Self.accessToken)
    }

    @Test("the reason of a wrong access token is that of a wrong code")
    func reason() {
        #expect(IdentityFault.accessToken.reason == .code)
    }

    @Test("SHA-512 of the example of FIPS 180-4")
    func sha512() {
        let hash = SHA512.hash("abc")
        #expect(hash.count == SHA512.byteCount)
        #expect(hash.prefix(8) == [0xDD, 0xAF, 0x35, 0xA1, 0x93, 0x61, 0x7A, 0xBA])
        #expect(hash.suffix(4) == [0xA5, 0x4C, 0xA4, 0x9F])
        #expect(SHA512.hash("").prefix(4) == [0xCF, 0x83, 0xE1, 0x35])
    }
}
