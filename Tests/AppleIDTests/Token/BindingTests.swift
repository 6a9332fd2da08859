import AppleID
import Gatehouse
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("What ties an identity token to its request")
struct BindingTests {
    @Test("the nonce is the request's, raw or hashed, and missing only where Apple says that it must")
    func nonces() {
        for item in NonceCase.all {
            let token = Forge.claims([("nonce", item.claim), ("nonce_supported", item.supported)])
            var policy = IdentityTokenPolicy.ofTests
            policy.nonce = item.rule
            let verdict = Desk(policy: policy, isWarm: true).judge(
                AppleCredential(identityToken: token, nonce: item.sent))
            let expected: Desk.Verdict? = item.isAccepted ? nil : .refused(.appleToken(.nonce))
            #expect(verdict.refusal == expected, "\(item.testDescription)")
        }
    }

    @Test("a wrong nonce is found out once the signature is known to be good")
    func nonceStage() {
        let token = Forge.claim("nonce", "another")
        expectRefusal(AppleCredential(identityToken: token, nonce: NonceCase.nonce), .nonce, .afterTheKey)
        expectRefusal(AppleCredential(identityToken: token), .nonce, .afterTheKey)
    }

    @Test("a nonce is compared byte by byte")
    func nonceBytes() {
        let token = Forge.claim("nonce", "K")
        expectAcceptance(AppleCredential(identityToken: token, nonce: "K"))
        for sent in ["\u{212A}", "k", "K ", ""] {
            expectRefusal(AppleCredential(identityToken: token, nonce: sent), .nonce, .afterTheKey)
        }
    }

    /// OpenID Connect Core 1.0, appendix A.4 has this code with this c_hash.
    @Test("the code is the one whose hash is in the token")
    func publishedCodeHash() {
        let token = Forge.claim("c_hash", "LDktKdoQak3Pk0cnXxCltA")
        let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
        expectAcceptance(AppleCredential(identityToken: token, authorizationCode: code))
        expectRefusal(AppleCredential(identityToken: token, authorizationCode: code + "x"), .code, .afterTheKey)
        expectRefusal(AppleCredential(identityToken: token, authorizationCode: ""), .code, .afterTheKey)
    }

    @Test(
        "a hash of the code that is wrong, too long, or no text is refused",
        arguments: [
            "", "LDktKdoQak3Pk0cnXxCltB", "LDktKdoQak3Pk0cnXxCltA==", "ldktkdoqak3pk0cnxxclta", 1, true, [], [:],
        ]
            as [JSONValue])
    func wrongCodeHash(value: JSONValue) {
        let code = "Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk"
        expectRefusal(
            AppleCredential(identityToken: Forge.claim("c_hash", value), authorizationCode: code), .code, .afterTheKey)
    }

    @Test("the whole hash in place of its left half is refused")
    func wholeHash() {
        let hash = Base64URL.encode(SHA256.hash(Array("code".utf8)))
        let token = Forge.claim("c_hash", .string(hash))
        expectRefusal(AppleCredential(identityToken: token, authorizationCode: "code"), .code, .afterTheKey)
    }

    @Test("a code without a hash to it, and a hash without a code, are no reason to refuse")
    func oneOfTheTwo() {
        expectAcceptance(AppleCredential(identityToken: Forge.claim("c_hash", nil), authorizationCode: "code"))
        expectAcceptance(AppleCredential(identityToken: Forge.claim("c_hash", .null), authorizationCode: "code"))
        expectAcceptance(Forge.claim("c_hash", "LDktKdoQak3Pk0cnXxCltA"))
    }

    @Test("a user who is named is the subject, byte by byte")
    func user() {
        expectAcceptance(AppleCredential(identityToken: Genuine.token, userIdentifier: Genuine.subject))
        for name in ["", "another", Genuine.subject.uppercased(), Genuine.subject + " "] {
            expectRefusal(AppleCredential(identityToken: Genuine.token, userIdentifier: name), .user, .afterTheKey)
        }
        let token = Forge.claim("sub", "K")
        expectAcceptance(AppleCredential(identityToken: token, userIdentifier: "K"))
        expectRefusal(AppleCredential(identityToken: token, userIdentifier: "\u{212A}"), .user, .afterTheKey)
    }

    @Test("the signature is judged before anything the token says about its request")
    func order() {
        let token = Forge.token(by: Genuine.forgersKey)
        expectRefusal(
            AppleCredential(identityToken: token, authorizationCode: "x", userIdentifier: "x", nonce: "x"), .signature,
            .afterTheKey)
    }
}
