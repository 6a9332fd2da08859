import Gatehouse
import IdentityProviders
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Binding of an identity token to its request")
struct RequestBindingTests {
    @Test(
        "the nonce equals the one of the request, raw or hashed, and is missing only if the token supports no nonces"
    )
    func nonces() {
        for item in NonceCase.all {
            let token = TestToken.withClaims([("nonce", item.claim), ("nonce_supported", item.supported)])
            var policy = TokenRules.ofTests
            policy.nonce = item.rule
            let outcome = VerifierFixture(policy: policy, isWarm: true).verify(
                IdentityCredential(identityToken: token, nonce: item.sent))
            #expect((outcome.refusal == nil) == item.isAccepted, "\(item.testDescription)")
            #expect(outcome.reason == (item.isAccepted ? nil : .nonce), "\(item.testDescription)")
        }
    }

    @Test("the nonce is checked after the signature")
    func nonceStage() {
        let token = TestToken.withClaim("nonce", "another")
        expectRefusal(IdentityCredential(identityToken: token, nonce: NonceCase.nonce), .nonce, .afterKeyLookup)
        expectRefusal(IdentityCredential(identityToken: token), .nonce, .afterKeyLookup)
    }

    @Test("a nonce is compared byte by byte")
    func nonceBytes() {
        let token = TestToken.withClaim("nonce", "K")
        expectAcceptance(IdentityCredential(identityToken: token, nonce: "K"))
        for sent in ["\u{212A}", "k", "K ", ""] {
            expectRefusal(IdentityCredential(identityToken: token, nonce: sent), .nonce, .afterKeyLookup)
        }
    }

    /// OpenID Connect Core 1.0, appendix A.4 has this code with this c_hash.
    @Test("the code must have the hash in the token")
    func publishedCodeHash() {
        let token = TestToken.withClaim("c_hash", .string(WebRequest.codeHash))
        let code = WebRequest.code
        expectAcceptance(IdentityCredential(identityToken: token, code: code))
        expectRefusal(IdentityCredential(identityToken: token, code: code + "x"), .code, .afterKeyLookup)
        expectRefusal(IdentityCredential(identityToken: token, code: ""), .code, .afterKeyLookup)
    }

    @Test(
        "a c_hash that is wrong, too long, or not a text is refused",
        arguments: [
            "", "LDktKdoQak3Pk0cnXxCltB", "LDktKdoQak3Pk0cnXxCltA==", "ldktkdoqak3pk0cnxxclta", 1, true, [], [:],
            // The whole hash.
            .string(Base64URL.encode(SHA256.hash(WebRequest.code))),
        ] as [JSONValue])
    func wrongCodeHash(value: JSONValue) {
        let token = TestToken.withClaim("c_hash", value)
        expectRefusal(IdentityCredential(identityToken: token, code: WebRequest.code), .code, .afterKeyLookup)
    }

    @Test("a code without c_hash and a c_hash without a code are accepted")
    func oneOfTheTwo() {
        expectAcceptance(IdentityCredential(identityToken: TestToken.withClaim("c_hash", nil), code: "code"))
        expectAcceptance(
            IdentityCredential(identityToken: TestToken.withClaim("c_hash", .null), code: "code"))
        expectAcceptance(TestToken.withClaim("c_hash", .string(WebRequest.codeHash)))
    }

    @Test("the user must be the subject, byte by byte")
    func user() {
        expectAcceptance(IdentityCredential(identityToken: ValidLogin.token, userIdentifier: ValidLogin.subject))
        for name in ["", "another", ValidLogin.subject.uppercased(), ValidLogin.subject + " "] {
            expectRefusal(
                IdentityCredential(identityToken: ValidLogin.token, userIdentifier: name), .user, .afterKeyLookup)
        }
        let token = TestToken.withClaim("sub", "K")
        expectAcceptance(IdentityCredential(identityToken: token, userIdentifier: "K"))
        expectRefusal(IdentityCredential(identityToken: token, userIdentifier: "\u{212A}"), .user, .afterKeyLookup)
    }

    @Test("the signature is checked before the nonce, code and user")
    func order() {
        let token = TestToken.make(by: ValidLogin.attackersKey)
        expectRefusal(
            IdentityCredential(identityToken: token, code: "x", userIdentifier: "x", nonce: "x"), .signature,
            .afterKeyLookup)
    }
}
