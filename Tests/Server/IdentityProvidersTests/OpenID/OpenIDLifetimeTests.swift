import Gatehouse
import IdentityProviders
import JSON
import Testing

@Suite("The lifetime of an OpenID provider's token")
struct OpenIDLifetimeTests {
    private static func at(_ offset: Int64) -> JSONValue { .integer(OpenIDLogin.seconds + offset) }

    @Test(
        "a token is valid between its times, with a minute of leeway",
        arguments: [
            [("exp", at(-59))], [("iat", at(60))], [("nbf", at(60))], [("nbf", at(-5))], [("iat", at(-3659))],
            [("exp", at(86_460))], [("iat", .number(Double(OpenIDLogin.seconds) + 0.5))],
        ] as [[(String, JSONValue?)]])
    func valid(changes: [(String, JSONValue?)]) {
        expectAcceptance(ofOpenID: OpenIDLogin.token(changes))
    }

    @Test(
        "a token that has expired, or is older than the settings allow, is refused",
        arguments: [
            [("exp", at(-60))], [("exp", 0)], [("iat", at(-3660))], [("iat", at(-86_400)), ("exp", at(0))],
            [("exp", .integer(.min))],
        ] as [[(String, JSONValue?)]])
    func expired(changes: [(String, JSONValue?)]) {
        expectEarlyRefusal(OpenIDLogin.token(changes), .expired)
    }

    @Test(
        "a token from the future is refused",
        arguments: [("iat", at(61)), ("nbf", at(61)), ("iat", .integer(.max))] as [(String, JSONValue?)])
    func early(name: String, value: JSONValue?) {
        expectEarlyRefusal(OpenIDLogin.token([(name, value)]), .notYetValid)
    }

    @Test(
        "a time that is missing or cannot be one is refused",
        arguments: [
            ("exp", nil), ("iat", nil), ("exp", .null), ("iat", "1760000000"), ("nbf", "x"), ("nbf", .null),
            ("exp", true),
            ("exp", at(86_461)), ("exp", .integer(.max)), ("exp", .integer(OpenIDLogin.seconds * 1000)),
        ] as [(String, JSONValue?)])
    func unusable(name: String, value: JSONValue?) {
        expectEarlyRefusal(OpenIDLogin.token([(name, value)]), .malformed(.unusable(.claims, member: name)))
    }

    @Test("the largest age is that of the policy")
    func maximumAge() {
        var policy = TokenRules.ofOpenIDTests
        policy.maximumAge = .seconds(10)
        expectAcceptance(ofOpenID: OpenIDLogin.token([("iat", Self.at(-69))]), policy: policy)
        expectEarlyRefusal(OpenIDLogin.token([("iat", Self.at(-70))]), .expired, policy: policy)
    }
}
