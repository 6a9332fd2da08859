import Gatehouse
import IdentityProviders
import JSON
import Testing

@Suite("What an OpenID provider's token says about a user")
struct OpenIDUserTests {
    private static let longest = String(repeating: "n", count: 200)

    private func assertion(
        _ claims: [(String, JSONValue?)], rule: TokenRules.EmailRule = .claim
    ) -> ProvenIdentity? {
        expectAcceptance(ofOpenID: OpenIDLogin.token(claims), policy: .of(emailRule: rule))
    }

    @Test(
        "an address is verified only if the provider says so",
        arguments: [
            (true, true), ("true", true), (false, false), ("false", false), (nil, false), (.null, false), (1, false),
            ("yes", false),
        ] as [(JSONValue?, Bool)])
    func email(flag: JSONValue?, isVerified: Bool) {
        let assertion = assertion([("email", "a@example.com"), ("email_verified", flag)])
        #expect(assertion?.email == "a@example.com")
        #expect(assertion?.emailVerified == isVerified)
    }

    @Test("without an address nothing is verified", arguments: [nil, .null, "", 7] as [JSONValue?])
    func noEmail(email: JSONValue?) {
        let assertion = assertion([("email", email), ("email_verified", true)], rule: .google)
        #expect(assertion?.email == nil)
        #expect(assertion?.emailVerified == nil)
    }

    @Test(
        "Google vouches for its own addresses and for those of its hosted domains",
        arguments: [
            ("a@gmail.com", nil, nil, true), ("A@Gmail.COM", true, nil, true),
            ("a@example.com", true, "example.com", true),
            ("a@example.com", true, nil, false), ("a@example.com", nil, "example.com", false),
            ("a@example.com", false, "example.com", false), ("a@example.com", true, "", false),
            ("a@example.com", true, true, false), ("a@notgmail.com", true, nil, false),
            ("a@gmail.com.example.com", true, nil, false), ("a\u{FF20}gmail.com", true, nil, false),
            ("@gmail.com", true, nil, false),
        ] as [(String, JSONValue?, JSONValue?, Bool)])
    func google(email: String, flag: JSONValue?, domain: JSONValue?, isVerified: Bool) {
        let claims: [(String, JSONValue?)] = [("email", .string(email)), ("email_verified", flag), ("hd", domain)]
        #expect(assertion(claims, rule: .google)?.emailVerified == isVerified)
    }

    @Test(
        "a nickname is a plain text of up to 200 bytes",
        arguments: [
            ("Ana", "Ana"), ("李 小龙 🙂", "李 小龙 🙂"), (nil, nil), (.null, nil), ("", nil), (7, nil), ("a\nb", nil),
            ("a\u{7F}", nil), ("a\u{9B}b", nil), (["a"], nil), (.string(longest), longest),
            (.string(longest + "n"), nil),
        ] as [(JSONValue?, String?)])
    func nickname(claim: JSONValue?, nickname: String?) {
        #expect(assertion([("name", claim)])?.nickname == nickname)
    }

    @Test("what only Apple's tokens say is not read")
    func apple() {
        let assertion = assertion([
            ("transfer_sub", "victim"), ("is_private_email", true), ("real_user_status", 2), ("c_hash", "x"),
        ])
        #expect(assertion?.transferSubject == nil)
        #expect(assertion?.isPrivateEmail == nil)
        #expect(assertion?.realUserStatus == nil)
        #expect(assertion?.unionSubject == nil)
    }
}
