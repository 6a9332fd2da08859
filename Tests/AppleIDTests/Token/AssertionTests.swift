import AppleID
import Gatehouse
import JSON
import OpenSSL
import Testing

@Suite("What an identity token says of a person")
struct AssertionTests {
    @Test("subject, audience, address and flags are taken from the token")
    func everything() {
        let token = Forge.claims([
            ("email", "ann@example.com"), ("email_verified", true), ("is_private_email", false),
            ("real_user_status", 2), ("transfer_sub", "005678.old"),
        ])
        let expected = AppleAssertion(
            subject: Genuine.subject, audience: Genuine.audience, tokenHash: hash(token),
            issuedAt: Timestamp(seconds: Genuine.now), expiresAt: Timestamp(seconds: Genuine.now + 86_400),
            email: "ann@example.com", emailVerified: true,
            isPrivateEmail: false, realUserStatus: 2, transferSubject: "005678.old")
        #expect(expectAcceptance(token) == expected)
    }

    @Test("a token that says nothing of a person is accepted")
    func nothing() {
        let token = Forge.claims([
            ("email", nil), ("email_verified", nil), ("is_private_email", nil), ("real_user_status", nil),
            ("nonce_supported", nil), ("auth_time", nil),
        ])
        let expected = AppleAssertion(
            subject: Genuine.subject, audience: Genuine.audience, tokenHash: hash(token),
            issuedAt: Timestamp(seconds: Genuine.now), expiresAt: Timestamp(seconds: Genuine.now + 86_400))
        #expect(expectAcceptance(token) == expected)
    }

    private func hash(_ token: String) -> [UInt8] {
        SHA256.hash(token.split(separator: ".")[..<2].joined(separator: "."))
    }

    @Test("no other token has the same hash, and a token says itself when it ends")
    func naming() throws {
        let (one, other) = (Genuine.token, Forge.claim("exp", .integer(Genuine.now + 60)))
        let first = try #require(expectAcceptance(one))
        let second = try #require(expectAcceptance(other))
        #expect(first.tokenHash != second.tokenHash)
        #expect(second.expiresAt == Timestamp(seconds: Genuine.now + 60))
    }

    @Test(
        "a former subject is one like any other, or none at all",
        arguments: [
            ("001.x", "001.x"), ("", nil), (1, nil), (.null, nil), (["001.x"], nil), ("001\n", nil),
            (.string(String(repeating: "s", count: 257)), nil),
        ] as [(JSONValue, String?)])
    func transferSubject(value: JSONValue, expected: String?) throws {
        let assertion = try #require(expectAcceptance(Forge.claim("transfer_sub", value)))
        #expect(assertion.transferSubject == expected)
    }

    @Test(
        "a flag is a boolean or its name, and unknown where it is neither",
        arguments: [
            (true, true), (false, false), ("true", true), ("false", false), ("TRUE", nil), ("1", nil), (1, nil),
            (0, nil),
            (.null, nil), ([], nil), ("", nil),
        ] as [(JSONValue, Bool?)])
    func flags(value: JSONValue, expected: Bool?) throws {
        let verified = try #require(expectAcceptance(Forge.claim("email_verified", value)))
        #expect(verified.emailVerified == expected)
        #expect(verified.isPrivateEmail == true)
        let hidden = try #require(expectAcceptance(Forge.claim("is_private_email", value)))
        #expect(hidden.isPrivateEmail == expected)
        #expect(hidden.emailVerified == true)
    }

    @Test(
        "the status of a real user is 0, 1 or 2, and unknown otherwise",
        arguments: [
            (0, 0), (1, 1), (2, 2), (3, nil), (-1, nil), ("1", nil), (1.5, nil), (.null, nil), (true, nil),
            (.integer(.max), nil),
        ] as [(JSONValue, Int?)])
    func realUserStatus(value: JSONValue, expected: Int?) throws {
        let assertion = try #require(expectAcceptance(Forge.claim("real_user_status", value)))
        #expect(assertion.realUserStatus == expected)
    }

    @Test(
        "an address may be missing, empty or unusable, and the login goes on without it",
        arguments: [nil, .null, "", 1, [], .string(String(repeating: "a", count: 243) + "@example.com")] as [JSONValue?]
    )
    func noEmail(value: JSONValue?) throws {
        let assertion = try #require(expectAcceptance(Forge.claim("email", value)))
        #expect(assertion.email == nil)
    }

    @Test("the longest address has 254 bytes")
    func longestEmail() throws {
        let email = String(repeating: "a", count: 242) + "@example.com"
        let assertion = try #require(expectAcceptance(Forge.claim("email", .string(email))))
        #expect(assertion.email == email)
    }
}
