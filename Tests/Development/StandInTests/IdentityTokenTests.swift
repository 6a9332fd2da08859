import DevelopmentHTTP
import JOSE
import JSON
import OpenSSL
import Testing

@testable import StandIn

@Suite("Minted identity tokens")
struct IdentityTokenTests {
    private let providers: StandInFixture

    init() throws {
        providers = try StandInFixture()
    }

    @Test("a token has the claims of the order and an hour to live", arguments: ["RS256", "ES256", "EdDSA"])
    func claims(algorithm: String) throws {
        let token = try providers.token(
            "example",
            [
                "sub": "ann", "aud": "app", "azp": "other", "nonce": "n", "email": "ann@example.com",
                "hd": "example.com",
                "name": "Ann", "alg": .string(algorithm),
            ])
        #expect(token.algorithmName == algorithm && token.type == "JWT")
        #expect(
            try token.claims() == [
                "iss": "http://127.0.0.1:8444/openid/example", "sub": "ann", "aud": "app", "azp": "other", "nonce": "n",
                "email": "ann@example.com", "email_verified": true, "hd": "example.com", "name": "Ann",
                "iat": .integer(providers.now), "exp": .integer(providers.now + 3600),
            ])
    }

    @Test("an order that says nothing makes a token of a new user")
    func usual() throws {
        let (first, second) = (try providers.token().claims(), try providers.token().claims())
        #expect(Set(first.names) == ["iss", "aud", "sub", "iat", "exp"])
        #expect(first["sub"] != second["sub"])
    }

    @Test("an audience can be a list, and an email unverified in any form")
    func forms() throws {
        for verified in [false, "true", "1"] as [JSONValue] {
            let claims = try providers.token(
                "example", ["aud": ["a", "b"], "email": "a@b.example", "emailVerified": verified]
            ).claims()
            #expect(claims["aud"] == ["a", "b"] && claims["email_verified"] == verified)
        }
    }

    @Test("the answer is part of the body of a login, with the hash of the access token in the token")
    func body() throws {
        let body = try providers.order("/openid/example/mint", ["nonce": "n", "accessToken": "secret"])
        #expect(Set(body.names) == ["identityToken", "nonce", "accessToken"])
        #expect(body["nonce"] == "n" && body["accessToken"] == "secret")
        let hash = Base64URL.encode(Array(SHA256.hash("secret").prefix(16)))
        #expect(try providers.verified(body["identityToken"], "example").claims()["at_hash"] == .string(hash))
        let fresh = try providers.order("/openid/example/mint", ["accessToken": true])
        #expect(fresh["accessToken"]?.string?.isEmpty == false)
        #expect(try providers.order("/openid/example/mint").names == ["identityToken"])
    }

    @Test("a forged token names the right key, and another one has signed it", arguments: ["RS256", "ES256"])
    func forged(algorithm: String) throws {
        let order: JSONObject = ["alg": .string(algorithm), "forged": true]
        let token = try providers.order("/openid/example/mint", order)["identityToken"]
        let jws = try CompactJWS(try #require(token?.string))
        let key = try #require(try providers.keySet()[jws.keyID ?? ""])
        #expect(throws: JOSEError.signature) { try jws.verify(with: key) }
    }

    @Test("each provider has keys of its own")
    func separateKeys() throws {
        let jws = try providers.token("example", ["alg": "ES256"])
        try providers.order("/openid/other/mint", ["alg": "ES256"])
        #expect(try providers.keySet("other")[jws.keyID ?? ""] == nil)
    }

    @Test("Google's tokens have Google's claims")
    func google() throws {
        let claims = try providers.token("google", ["hd": "example.com"]).claims()
        #expect(claims["iss"] == "https://accounts.google.com")
        #expect(claims["sub"]?.string?.count == 21)
        #expect(claims["azp"] == claims["aud"])
        #expect(claims["email"]?.string?.hasSuffix("@example.com") == true && claims["email_verified"] == true)
        for name in ["name", "given_name", "family_name", "picture"] { #expect(claims[name]?.string != nil) }
        let other = try providers.token("google", ["sub": "1", "claims": ["email": nil, "picture": nil]]).claims()
        #expect(other["sub"] == "1" && other["email"] == nil && other["picture"] == nil)
    }
}
