import Gatehouse
import IdentityProviders
import JSON
import OpenSSL
import Testing

@Suite("The user's data in an identity token")
struct AssertionTests {
    @Test("subject, audience, email address and flags are taken from the token")
    func everything() {
        let token = TestToken.withClaims([
            ("email", "ann@example.com"), ("email_verified", true), ("is_private_email", false),
            ("real_user_status", 2), ("transfer_sub", "005678.old"),
        ])
        let identity = Identity(
            provider: .apple, subject: ValidLogin.subject, email: "ann@example.com", emailVerified: true,
            isPrivateEmail: false, realUserStatus: 2, transferSubject: "005678.old")
        #expect(expectAcceptance(token) == proven(identity, by: token))
    }

    @Test("a token without the optional claims is accepted")
    func nothing() {
        let token = TestToken.withClaims([
            ("email", nil), ("email_verified", nil), ("is_private_email", nil), ("real_user_status", nil),
            ("nonce_supported", nil), ("auth_time", nil),
        ])
        let identity = Identity(provider: .apple, subject: ValidLogin.subject, email: nil)
        #expect(expectAcceptance(token) == proven(identity, by: token))
    }

    @Test("the code of an app is left for an exchange after the login")
    func code() {
        let login = IdentityCredential(identityToken: TestToken.withClaim("c_hash", nil), code: "c.0.abc")
        #expect(expectAcceptance(login)?.laterCode == "c.0.abc")
        #expect(expectAcceptance(ValidLogin.token)?.laterCode == nil)
    }

    private func proven(_ identity: Identity, by token: String) -> ProvenIdentity {
        let hash = SHA256.hash(token.split(separator: ".")[..<2].joined(separator: "."))
        return ProvenIdentity(
            identity: identity, clientID: ValidLogin.audience, issuedAt: Timestamp(seconds: ValidLogin.seconds),
            redemption: Redemption(
                tokenHash: hash, moment: ValidLogin.now, expiresAt: Timestamp(seconds: ValidLogin.seconds + 86_400)))
    }

    @Test(
        "a transfer subject is valid under the same rules as a subject, and otherwise ignored",
        arguments: [
            ("001.x", "001.x"), ("", nil), (1, nil), (.null, nil), (["001.x"], nil), ("001\n", nil),
            (.string(String(repeating: "s", count: 257)), nil),
        ] as [(JSONValue, String?)])
    func transferSubject(value: JSONValue, expected: String?) throws {
        let assertion = try #require(expectAcceptance(TestToken.withClaim("transfer_sub", value)))
        #expect(assertion.transferSubject == expected)
    }

    @Test(
        "a flag is a boolean or its name, and otherwise unknown",
        arguments: [
            (true, true), (false, false), ("true", true), ("false", false), ("TRUE", nil), ("1", nil), (1, nil),
            (0, nil), (.null, nil), ([], nil), ("", nil),
        ] as [(JSONValue, Bool?)])
    func flags(value: JSONValue, expected: Bool?) throws {
        let verified = try #require(expectAcceptance(TestToken.withClaim("email_verified", value)))
        #expect(verified.emailVerified == expected)
        #expect(verified.isPrivateEmail == true)
        let hidden = try #require(expectAcceptance(TestToken.withClaim("is_private_email", value)))
        #expect(hidden.isPrivateEmail == expected)
        #expect(hidden.emailVerified == true)
    }

    @Test(
        "the real user status is 0, 1 or 2, and otherwise unknown",
        arguments: [
            (0, 0), (1, 1), (2, 2), (3, nil), (-1, nil), ("1", nil), (1.5, nil), (.null, nil), (true, nil),
            (.integer(.max), nil),
        ] as [(JSONValue, Int?)])
    func realUserStatus(value: JSONValue, expected: Int?) throws {
        let assertion = try #require(expectAcceptance(TestToken.withClaim("real_user_status", value)))
        #expect(assertion.realUserStatus == expected)
    }

    @Test(
        "a login is accepted without a usable email address",
        arguments: [
            nil, .null, "", 1, [], .string(String(repeating: "a", count: 243) + "@example.com"), "a\0b@example.com",
            "a@example.com\n",
        ] as [JSONValue?])
    func noEmail(value: JSONValue?) throws {
        let assertion = try #require(expectAcceptance(TestToken.withClaim("email", value)))
        #expect(assertion.email == nil)
    }

    @Test("an email address has at most 254 bytes")
    func longestEmail() throws {
        let email = String(repeating: "a", count: 242) + "@example.com"
        let assertion = try #require(expectAcceptance(TestToken.withClaim("email", .string(email))))
        #expect(assertion.email == email)
    }
}
