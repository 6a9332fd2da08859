import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

@Suite("The header of an OpenID provider's token")
struct OpenIDHeaderTests {
    @Test("a token signed with any accepted algorithm is accepted", arguments: OpenIDLogin.keys.map(\.algorithm))
    func algorithms(algorithm: Algorithm) throws {
        let key = try #require(OpenIDLogin.keys.first { $0.algorithm == algorithm })
        let assertion = try #require(expectAcceptance(ofOpenID: OpenIDLogin.token(by: key)))
        #expect(assertion.subject == "248289761001")
        #expect(assertion.clientID == OpenIDLogin.audience)
        #expect(assertion.tokenHash == (try CompactJWS(OpenIDLogin.token(by: key))).signingHash)
        #expect(assertion.issuedAt == OpenIDLogin.now)
        #expect(assertion.expiresAt == OpenIDLogin.now + .seconds(3600))
    }

    @Test(
        "an algorithm that the settings do not name is refused before any fetch",
        arguments: [
            "none", "None", "", "HS256", "HS384", "HS512", "RS384", "PS256", "ES384", "Ed25519", "rs256", "RS256 ",
        ])
    func otherAlgorithms(name: String) {
        expectEarlyRefusal(OpenIDLogin.token(header: [("alg", .string(name))]), .algorithm)
    }

    @Test("an accepted algorithm is only one of the policy's, whatever keys are published")
    func policyDecides() {
        let policy = TokenRules.of(algorithms: [.RS256])
        expectEarlyRefusal(OpenIDLogin.token(by: OpenIDLogin.p256), .algorithm, policy: policy)
        expectEarlyRefusal(OpenIDLogin.token(by: OpenIDLogin.ed25519), .algorithm, policy: policy)
        expectAcceptance(ofOpenID: OpenIDLogin.token(), policy: policy)
    }

    @Test("an HMAC is refused even if the settings name it")
    func secrets() throws {
        let jwk = OpenIDLogin.jwk(OpenIDLogin.rsa)
        let modulus = try #require(jwk["n"]?.string.flatMap { Base64URL.decode($0) })
        let attacker = try SigningKey(hmacSecret: modulus, keyID: "KEY0000001")
        let policy = TokenRules.of(algorithms: [.RS256, .HS256])
        expectEarlyRefusal(OpenIDLogin.token(by: attacker), .algorithm, policy: policy)
        let lying = OpenIDLogin.token(header: [("alg", "RS256")], by: attacker)
        #expect(OpenIDFixture(policy: policy).fault(lying) == .signature)
    }

    @Test(
        "a key is used only for its own algorithm",
        arguments: [("KEY0000001", "ES256"), ("KEY0000001", "EdDSA"), ("p256", "RS256"), ("ed25519", "ES256")])
    func confusion(keyID: String, algorithm: String) throws {
        for key in OpenIDLogin.keys {
            let header: [(String, JSONValue?)] = [("kid", .string(keyID)), ("alg", .string(algorithm))]
            #expect(OpenIDFixture().fault(OpenIDLogin.token(header: header, by: key)) == .algorithm)
        }
    }

    @Test("typ is JWT in any case, or absent", arguments: [nil, "JWT", "jwt", "Jwt"])
    func type(name: String?) {
        expectAcceptance(ofOpenID: OpenIDLogin.token(header: [("typ", name.map(JSONValue.string))]))
    }

    @Test(
        "another kind of token is refused",
        arguments: [
            "at+jwt", "AT+JWT", "logout+jwt", "secevent+jwt", "dpop+jwt", "application/at+jwt", "JWE", "", "JWT ",
        ])
    func otherType(name: String) {
        expectEarlyRefusal(OpenIDLogin.token(header: [("typ", .string(name))]), .malformed(.otherType))
    }

    @Test("the signature is not part of the hash, because an ES256 signature can be changed without the key")
    func malleability() throws {
        let token = OpenIDLogin.token(by: OpenIDLogin.p256)
        let again = OpenIDLogin.token(by: OpenIDLogin.p256)
        #expect(token != again, "ECDSA signatures are random")
        let hashes = [token, again].map { expectAcceptance(ofOpenID: $0)?.tokenHash }
        #expect(hashes[0] != nil && hashes[0] == hashes[1])
    }

    @Test("a login without a token names the missing member")
    func missing() {
        #expect(OpenIDFixture().verify(nil) == .failure(.missing(.identityToken)))
    }
}
