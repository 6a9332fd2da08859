import AppleID
import Gatehouse
import JSON
import Testing

@Suite("What an identity token says of a person")
struct AssertionTests {
    @Test("subject, audience, address and flags are taken from the token")
    func everything() {
        let token = Forge.claims([
            ("email", "ann@example.com"), ("email_verified", true), ("is_private_email", false),
            ("real_user_status", 2),
        ])
        let expected = AppleAssertion(
            subject: Genuine.subject, audience: Genuine.audience, email: "ann@example.com", emailVerified: true,
            isPrivateEmail: false, realUserStatus: 2)
        #expect(expectAcceptance(token) == expected)
    }

    @Test("a token that says nothing of a person is accepted")
    func nothing() {
        let token = Forge.claims([
            ("email", nil), ("email_verified", nil), ("is_private_email", nil), ("real_user_status", nil),
            ("nonce_supported", nil), ("auth_time", nil),
        ])
        #expect(expectAcceptance(token) == AppleAssertion(subject: Genuine.subject, audience: Genuine.audience))
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
