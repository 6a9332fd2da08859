import Gatehouse
import IdentityProviders
import JSON
import Testing

@Suite("Issuer and audience")
struct IssuerAndAudienceTests {
    @Test(
        "the issuer is exactly Apple's",
        arguments: [
            nil, .null, 1, "", ["https://appleid.apple.com"], "https://appleid.apple.com/", "http://appleid.apple.com",
            "https://APPLEID.apple.com", "https://appleid.apple.com ", "https://account.apple.com", "appleid.apple.com",
            "https://appleid.apple.com.forger.example", "https://accounts.google.com", "https://appleid.apple.com:443",
            "https://appleid.apple.com#", "https://appleid.apple.com\0", "https://\u{430}ppleid.apple.com",
            "https://appleid。apple.com", "https://appleid.apple.com\u{301}", ["iss": "https://appleid.apple.com"],
        ] as [JSONValue?])
    func issuer(value: JSONValue?) {
        expectRefusal(TestToken.withClaim("iss", value), .issuer)
    }

    @Test("only configured issuers are accepted")
    func configuredIssuers() {
        var policy = TokenRules.ofTests
        policy.issuers = ["https://appleid.apple.com", "https://account.apple.com"]
        expectAcceptance(TestToken.withClaim("iss", "https://account.apple.com"), policy: policy)
        expectAcceptance(ValidLogin.token, policy: policy)
        policy.issuers = ["https://account.apple.com"]
        expectRefusal(ValidLogin.token, .issuer, policy: policy)
        policy.issuers = []
        expectRefusal(ValidLogin.token, .issuer, policy: policy)
    }

    @Test(
        "the audience is the app alone",
        arguments: [
            nil, .null, 1, "", "com.example.other", "com.example.App", "com.example.app ", "com.example.app.",
            "com.example.app,com.example.other", [], ["com.example.other"], ["com.example.app", "com.example.other"],
            ["com.example.app", "com.example.app"], [["com.example.app"]], [nil], [:], ["com.example.app": true],
            "com.example.*", "*", "com.example.app/", ".com.example.app", "com.example.app\0", "com.example",
            "com.ex\u{430}mple.app", ["com.example.app", nil],
        ] as [JSONValue?])
    func audience(value: JSONValue?) {
        expectRefusal(TestToken.withClaim("aud", value), .audience)
    }

    @Test("an array with the app as its only element is accepted")
    func oneElement() {
        #expect(expectAcceptance(TestToken.withClaim("aud", ["com.example.app"]))?.clientID == "com.example.app")
    }

    @Test("each of several apps is accepted, and the result names the app")
    func severalAudiences() {
        var policy = TokenRules.ofTests
        policy.audiences = ["com.example.app", "com.example.web"]
        for audience in policy.audiences {
            #expect(
                expectAcceptance(TestToken.withClaim("aud", .string(audience)), policy: policy)?.clientID == audience)
        }
        expectRefusal(TestToken.withClaim("aud", "com.example.tv"), .audience, policy: policy)
        expectRefusal(TestToken.withClaim("aud", ["com.example.app", "com.example.web"]), .audience, policy: policy)
        policy.audiences = []
        expectRefusal(ValidLogin.token, .audience, policy: policy)
    }

    /// For Swift's `==`, U+212A (the Kelvin sign) equals K, and `e` with a combining accent equals `é`.
    @Test("issuers and audiences are compared byte by byte")
    func bytes() {
        var policy = TokenRules.ofTests
        policy.audiences = ["com.example.Kiosk", "com.example.caf\u{E9}"]
        expectAcceptance(TestToken.withClaim("aud", "com.example.Kiosk"), policy: policy)
        for lookalike in ["com.example.\u{212A}iosk", "com.example.cafe\u{301}"] {
            expectRefusal(TestToken.withClaim("aud", .string(lookalike)), .audience, policy: policy)
            expectRefusal(TestToken.withClaim("aud", [.string(lookalike)]), .audience, policy: policy)
        }
        policy = .ofTests
        policy.issuers = ["https://issuer.example/K"]
        expectAcceptance(TestToken.withClaim("iss", "https://issuer.example/K"), policy: policy)
        expectRefusal(TestToken.withClaim("iss", "https://issuer.example/\u{212A}"), .issuer, policy: policy)
    }
}
