import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

@Suite("The claims of an OpenID provider's token")
struct OpenIDClaimTests {
    private func with(_ name: String, _ value: JSONValue?) -> String { OpenIDLogin.token([(name, value)]) }

    @Test("each issuer of the settings is accepted", arguments: [OpenIDLogin.issuer, "op.example"])
    func issuers(name: String) {
        expectAcceptance(ofOpenID: with("iss", .string(name)))
    }

    @Test(
        "any other issuer is refused, and no token chooses its own",
        arguments: [
            nil, .null, 7, "", ["https://op.example/realm"], "https://op.example/realm/", "https://op.example",
            "HTTPS://op.example/realm", "https://op.example/realm\u{0}", "https://forger.example",
            "https://op.example/\u{72}ealm2",
        ] as [JSONValue?])
    func otherIssuer(value: JSONValue?) {
        expectEarlyRefusal(with("iss", value), .issuer)
    }

    @Test(
        "an accepted audience stands alone or in a list of accepted ones",
        arguments: ["app-ios", ["app-ios"], ["app-web", "app-ios"], ["app-ios", "app-ios"]] as [JSONValue])
    func audience(value: JSONValue) {
        #expect(expectAcceptance(ofOpenID: with("aud", value))?.clientID == "app-ios")
    }

    @Test(
        "another audience is refused, and named if it is a plain name",
        arguments: [
            (nil, nil), (.null, nil), ("", nil), ([], nil), (7, nil), ("app-other", "app-other"),
            (["app-other"], "app-other"), (["app-ios", 7], nil), (["app-ios", "app-other"], nil),
            (["app-ios\u{0}"], nil),
            ("APP-IOS", "APP-IOS"), (["app-ios", ["app-web"]], nil), ([:], nil),
        ] as [(JSONValue?, String?)])
    func otherAudience(value: JSONValue?, name: String?) {
        expectEarlyRefusal(with("aud", value), .audience(name.flatMap(PlainName.init)))
    }

    @Test(
        "a list with a foreign audience needs an accepted azp",
        arguments: [("app-ios", true), ("app-web", true), ("app-android", true), (nil, false), (.null, false)]
            as [(JSONValue?, Bool)])
    func listWithParty(azp: JSONValue?, isAccepted: Bool) {
        let token = OpenIDLogin.token([("aud", ["api", "app-ios"]), ("azp", azp)])
        let policy = TokenRules.of(parties: ["app-android"])
        if isAccepted {
            expectAcceptance(ofOpenID: token, policy: policy)
        } else {
            expectEarlyRefusal(token, .audience(nil), policy: policy)
        }
    }

    @Test(
        "the party to which a token was issued is an audience or an authorized party",
        arguments: ["app-ios", "app-android"])
    func party(azp: String) {
        expectAcceptance(ofOpenID: with("azp", .string(azp)), policy: .of(parties: ["app-android"]))
    }

    @Test(
        "a token that was issued to another client is refused",
        arguments: [
            ("app-other", "app-other"), ("", nil), (7, nil), (["app-ios"], nil), ("app ios", nil), (true, nil),
        ] as [(JSONValue, String?)], ["app-ios", ["app-ios", "api"], ["app-ios"]] as [JSONValue])
    func otherParty(_ azp: (JSONValue, String?), aud: JSONValue) {
        let token = OpenIDLogin.token([("aud", aud), ("azp", azp.0)])
        expectEarlyRefusal(token, .client(azp.1.flatMap(PlainName.init)))
    }

    @Test(
        "a subject has 1 to 255 bytes and no control characters",
        arguments: ["1", "110169484474386276334", "é@op.example", .string(String(repeating: "s", count: 255))]
            as [JSONValue])
    func subject(value: JSONValue) {
        #expect(expectAcceptance(ofOpenID: with("sub", value))?.subject == value.string)
    }

    @Test(
        "a subject that cannot name a user is refused",
        arguments: [
            nil, .null, "", 7, ["a"], "a\n", "\u{0}", "a\u{7F}", "a\u{85}", "a\u{2028}b",
            .string(String(repeating: "s", count: 256)), .string(String(repeating: "é", count: 128)),
        ] as [JSONValue?])
    func otherSubject(value: JSONValue?) {
        expectEarlyRefusal(with("sub", value), .malformed(.unusable(.claims, member: "sub")))
    }

    @Test(
        "a required claim must have its value",
        arguments: [
            ("email_verified", "true", true), ("email_verified", "true", "true"), ("amr_ok", "false", false),
            ("hd", "example.com", "example.com"), ("level", "3", 3), ("level", "3", "3"), ("level", "2.5", 2.5),
            ("level", "-1", -1),
        ] as [(String, String, JSONValue)])
    func required(name: String, value: String, claim: JSONValue) {
        expectAcceptance(ofOpenID: with(name, claim), policy: .of(required: [RequiredClaim(name: name, value: value)]))
    }

    @Test(
        "another value of a required claim is refused, with the name of the claim",
        arguments: [
            ("true", nil), ("true", .null), ("true", false), ("true", 1), ("true", "TRUE"), ("true", ["true"]),
            ("example.com", "Example.com"), ("example.com", "example.com."), ("example.com", "a.example.com"),
            ("é", "e\u{301}"), ("3", 3.5), ("null", .null), ("{}", [:]), ("1", true),
        ] as [(String, JSONValue?)])
    func notRequired(value: String, claim: JSONValue?) {
        let policy = TokenRules.of(required: [RequiredClaim(name: "x", value: value)])
        expectEarlyRefusal(with("x", claim), .claim("x"), policy: policy)
    }
}
