import Gatehouse
import IdentityProviders
import JOSE
import JSON
import OpenSSL
import Testing

@Suite("The causes of a refusal")
struct CauseTests {
    private func fault(
        _ token: String, nonce: String? = nil, rule: TokenRules.NonceRule = .optional
    ) -> IdentityFault? {
        var policy = TokenRules.ofTests
        policy.nonce = rule
        return VerifierFixture(policy: policy, isWarm: true)
            .verify(IdentityCredential(identityToken: token, nonce: nonce)).fault
    }

    /// Base64 as Foundation's `Data.base64EncodedString()` writes it.
    private static func base64(_ text: String) -> String {
        let plain = Base64URL.encode(Array(text.utf8)).replacing("-", with: "+").replacing("_", with: "/")
        return plain + String(repeating: "=", count: (4 - plain.utf8.count % 4) % 4)
    }

    private static let parts = ValidLogin.token.split(separator: ".").map(String.init)

    private static func payload(_ text: String) -> String { TestToken.make(payload: text) }

    @Test(
        "a malformed token has the cause that its form shows",
        arguments: [
            (String(repeating: "A", count: 8193), .tooLong(limit: 8192)),
            ("", .notThreeParts), ("810 bytes", .notThreeParts), (parts[0] + "." + parts[1], .notThreeParts),
            (ValidLogin.token + "." + parts[2], .notThreeParts), ("..", .notJSON(.header)),
            (base64(ValidLogin.token), .encodedAgain),
            (Base64URL.encode(Array(ValidLogin.token.utf8)), .encodedAgain),
            (
                String(base64(ValidLogin.token).prefix(64)) + "\r\n" + base64(ValidLogin.token).dropFirst(64),
                .encodedAgain
            ),
            (base64("a text, and no token"), .notThreeParts), (base64("a.b.c.d"), .notThreeParts),
            (base64("a. b.c"), .notThreeParts),
            ("Optional(\"" + ValidLogin.token + "\")", .notBase64URL(.header)),
            (ValidLogin.token + "=", .notBase64URL(.signature)), (ValidLogin.token + "\n", .notBase64URL(.signature)),
            (parts[0] + ". " + parts[1] + "." + parts[2], .notBase64URL(.claims)),
            (TestToken.make(header: "[]"), .notAnObject(.header)), (TestToken.make(header: "{"), .notJSON(.header)),
            (payload("7"), .notAnObject(.claims)), (payload(""), .notJSON(.claims)),
            (payload("{'a':1}"), .notJSON(.claims)),
            (payload(#"{"sub":"a","sub":"b"}"#), .duplicateMember(.claims, PlainName("sub"))),
            (payload(#"{"\u0073ub":"a","sub":"b"}"#), .duplicateMember(.claims, PlainName("sub"))),
            (payload(#"{"x y":"a","x y":"b"}"#), .duplicateMember(.claims, nil)),
            (payload(#"{"é":"a","é":"b"}"#), .duplicateMember(.claims, nil)),
            (TestToken.make(header: #"{"alg":"RS256","alg":"none"}"#), .duplicateMember(.header, PlainName("alg"))),
            (TestToken.withHeader("crit", ["exp"]), .unsupportedHeader(member: "crit")),
            (TestToken.withHeader("alg", nil), .unusable(.header, member: "alg")),
            (TestToken.withHeader("kid", nil), .unusable(.header, member: "kid")),
            (TestToken.withHeader("kid", 7), .unusable(.header, member: "kid")),
            (TestToken.withHeader("typ", 7), .unusable(.header, member: "typ")),
            (TestToken.withClaim("events", "{}"), .isNotification),
            (TestToken.withClaim("sub", nil), .unusable(.claims, member: "sub")),
            (TestToken.withClaim("iat", "x"), .unusable(.claims, member: "iat")),
            (TestToken.withClaim("exp", nil), .unusable(.claims, member: "exp")),
            (TestToken.withClaim("nbf", "x"), .unusable(.claims, member: "nbf")),
        ] as [(String, MalformedToken)])
    func malformed(token: String, cause: MalformedToken) {
        #expect(fault(token) == .malformed(cause))
    }

    @Test("a notification and a login say that they are not the other")
    func notification() {
        let fixture = VerifierFixture(policy: .ofTests, isWarm: true)
        #expect(fixture.verify(notification: ValidLogin.token).fault == .malformed(.isNoNotification))
        let unusable = TestNotification.withClaim("events", 7)
        #expect(fixture.verify(notification: unusable).fault == .malformed(.unusable(.claims, member: "events")))
    }

    @Test(
        "an audience is named only if it is a plain name",
        arguments: [
            ("com.example.other", "com.example.other"), (["com.example.other"], "com.example.other"),
            (["com.example.app", "com.example.other"], nil), (7, nil), ("", nil), ([], nil),
            ("a b", nil), ("<b>", nil), ("é", nil), ("a\n", nil), (.string(String(repeating: "a", count: 64)), "a64"),
            (.string(String(repeating: "a", count: 65)), nil), (.string(String(ValidLogin.token.prefix(80))), nil),
        ] as [(JSONValue, String?)])
    func audience(claim: JSONValue, name: String?) {
        let name = name == "a64" ? String(repeating: "a", count: 64) : name
        #expect(fault(TestToken.withClaim("aud", claim)) == .audience(name.flatMap(PlainName.init)))
    }

    struct Nonce: Sendable {
        let cause: NonceFault
        var claim: JSONValue?
        var sent: String?
        var rule = TokenRules.NonceRule.optional
        var isSupported: JSONValue? = true
    }

    private static let raw = NonceCase.nonce
    private static let digest = SHA256.hash(Array(raw.utf8))

    @Test(
        "a refused nonce has the cause that token and request show",
        arguments: [
            Nonce(cause: .notSent, claim: .string(raw)), Nonce(cause: .notSent, claim: 7, rule: .challenge),
            Nonce(cause: .notInToken, sent: raw), Nonce(cause: .notInToken, claim: .null, sent: raw, rule: .required),
            Nonce(cause: .notInToken, sent: raw, isSupported: .none),
            Nonce(cause: .unsupportedByDevice, sent: raw, rule: .required, isSupported: false),
            Nonce(cause: .unsupportedByDevice, sent: raw, rule: .challenge, isSupported: "false"),
            Nonce(cause: .required, rule: .required), Nonce(cause: .challengeRequired, rule: .challenge),
            Nonce(cause: .different, claim: "another", sent: raw), Nonce(cause: .different, claim: 7, sent: "7"),
            Nonce(cause: .different, claim: "", sent: raw), Nonce(cause: .different, claim: .string(raw), sent: ""),
            Nonce(cause: .different, claim: "", sent: ""), Nonce(cause: .notInToken, sent: "", rule: .required),
            Nonce(cause: .hashInOtherForm, claim: .string(NonceCase.hashed.uppercased()), sent: raw),
            Nonce(cause: .hashInOtherForm, claim: .string(Base64URL.encode(digest)), sent: raw),
            Nonce(cause: .hashInOtherForm, claim: .string(Base64URL.encode(digest) + "="), sent: raw),
            Nonce(cause: .swapped, claim: .string(raw), sent: NonceCase.hashed),
        ])
    func nonce(_ given: Nonce) {
        let token = TestToken.withClaims([("nonce", given.claim), ("nonce_supported", given.isSupported)])
        #expect(fault(token, nonce: given.sent, rule: given.rule) == .nonce(given.cause))
    }

    @Test("there is one fault for each reason")
    func reasons() {
        #expect(IdentityFault.all.map(\.reason) == IdentityFault.Reason.allCases)
    }
}
