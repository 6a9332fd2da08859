import AppleID
import Gatehouse
import JSON
import Testing

@Suite("Issuer and audience")
struct IssuerAndAudienceTests {
    @Test(
        "the issuer is Apple, letter by letter",
        arguments: [
            nil, .null, 1, "", ["https://appleid.apple.com"], "https://appleid.apple.com/", "http://appleid.apple.com",
            "https://APPLEID.apple.com", "https://appleid.apple.com ", "https://account.apple.com", "appleid.apple.com",
            "https://appleid.apple.com.forger.example", "https://accounts.google.com",
        ] as [JSONValue?])
    func issuer(value: JSONValue?) {
        expectRefusal(Forge.claim("iss", value), .issuer)
    }

    @Test("an issuer that was configured is accepted, and with it only what else was configured")
    func configuredIssuers() {
        var policy = IdentityTokenPolicy.ofTests
        policy.issuers = ["https://appleid.apple.com", "https://account.apple.com"]
        expectAcceptance(Forge.claim("iss", "https://account.apple.com"), policy: policy)
        expectAcceptance(Genuine.token, policy: policy)
        policy.issuers = ["https://account.apple.com"]
        expectRefusal(Genuine.token, .issuer, policy: policy)
        policy.issuers = []
        expectRefusal(Genuine.token, .issuer, policy: policy)
    }

    @Test(
        "the audience is the app, and nobody else beside it",
        arguments: [
            nil, .null, 1, "", "com.example.other", "com.example.App", "com.example.app ", "com.example.app.",
            "com.example.app,com.example.other", [], ["com.example.other"], ["com.example.app", "com.example.other"],
            ["com.example.app", "com.example.app"], [["com.example.app"]], [nil], [:], ["com.example.app": true],
        ] as [JSONValue?])
    func audience(value: JSONValue?) {
        expectRefusal(Forge.claim("aud", value), .audience)
    }

    @Test("an array with the app alone is the app")
    func oneElement() {
        #expect(expectAcceptance(Forge.claim("aud", ["com.example.app"]))?.audience == "com.example.app")
    }

    @Test("of several apps each is accepted, and the token tells which it was")
    func severalAudiences() {
        var policy = IdentityTokenPolicy.ofTests
        policy.audiences = ["com.example.app", "com.example.web"]
        for audience in policy.audiences {
            #expect(expectAcceptance(Forge.claim("aud", .string(audience)), policy: policy)?.audience == audience)
        }
        expectRefusal(Forge.claim("aud", "com.example.tv"), .audience, policy: policy)
        expectRefusal(Forge.claim("aud", ["com.example.app", "com.example.web"]), .audience, policy: policy)
        policy.audiences = []
        expectRefusal(Genuine.token, .audience, policy: policy)
    }

    /// Swift's `==` takes U+212A (the Kelvin sign) for a K, and `e` with an accent after it for `é`.
    @Test("issuers and audiences are compared byte by byte")
    func bytes() {
        var policy = IdentityTokenPolicy.ofTests
        policy.audiences = ["com.example.Kiosk", "com.example.caf\u{E9}"]
        expectAcceptance(Forge.claim("aud", "com.example.Kiosk"), policy: policy)
        for lookalike in ["com.example.\u{212A}iosk", "com.example.cafe\u{301}"] {
            expectRefusal(Forge.claim("aud", .string(lookalike)), .audience, policy: policy)
            expectRefusal(Forge.claim("aud", [.string(lookalike)]), .audience, policy: policy)
        }
        policy = .ofTests
        policy.issuers = ["https://issuer.example/K"]
        expectAcceptance(Forge.claim("iss", "https://issuer.example/K"), policy: policy)
        expectRefusal(Forge.claim("iss", "https://issuer.example/\u{212A}"), .issuer, policy: policy)
    }
}
