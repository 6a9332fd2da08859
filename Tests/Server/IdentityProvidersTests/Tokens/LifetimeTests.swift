import Gatehouse
import JSON
import Testing

@Suite("The lifetime of an identity token")
struct LifetimeTests {
    @Test("a token is accepted until 60 seconds after exp", arguments: [-3600, -1, 0, 1, 59])
    func notYetExpired(secondsAfter: Int64) {
        expectAcceptance(TestToken.withClaim("exp", .integer(ValidLogin.seconds - secondsAfter)))
    }

    @Test(
        "an expired token is refused",
        arguments: [60, 61, 3600, ValidLogin.seconds, ValidLogin.seconds + 1, ValidLogin.seconds * 2])
    func expired(secondsAfter: Int64) {
        expectRefusal(TestToken.withClaim("exp", .integer(ValidLogin.seconds - secondsAfter)), .expired)
    }

    @Test("the expiry is exact to the millisecond")
    func lastMillisecond() {
        let expiry = Timestamp(seconds: ValidLogin.seconds + 86_400)
        expectAcceptance(ValidLogin.token, at: expiry + .milliseconds(59_999))
        expectRefusal(ValidLogin.token, .expired, at: expiry + .seconds(60))
    }

    @Test("iat and nbf may be up to 60 seconds ahead", arguments: ["iat", "nbf"], [-86_400, -1, 0, 1, 59, 60])
    func fromTheFuture(claim: String, secondsAhead: Int64) {
        expectAcceptance(TestToken.withClaim(claim, .integer(ValidLogin.seconds + secondsAhead)))
    }

    @Test(
        "a token whose iat or nbf is further ahead is not valid yet", arguments: ["iat", "nbf"],
        [61, 3600, 1_000_000_000])
    func notYetValid(claim: String, secondsAhead: Int64) {
        expectRefusal(TestToken.withClaim(claim, .integer(ValidLogin.seconds + secondsAhead)), .notYetValid)
    }

    @Test("both iat and nbf are checked")
    func bothBounds() {
        let (past, future) = (JSONValue.integer(ValidLogin.seconds - 7200), JSONValue.integer(ValidLogin.seconds + 61))
        expectRefusal(TestToken.withClaims([("iat", past), ("nbf", future)]), .notYetValid)
        expectRefusal(TestToken.withClaims([("iat", future), ("nbf", past)]), .notYetValid)
        expectAcceptance(TestToken.withClaims([("iat", past), ("nbf", past)]))
    }

    @Test(
        "a time must be a number", arguments: ["iat", "exp", "nbf"],
        [.null, "1760000000", "", true, [1_760_000_000], [:]] as [JSONValue])
    func notANumber(claim: String, value: JSONValue) {
        expectRefusal(TestToken.withClaim(claim, value), .malformed)
    }

    @Test("iat and exp must be there, and nbf may be missing")
    func missing() {
        for claim in ["iat", "exp"] { expectRefusal(TestToken.withClaim(claim, nil), .malformed) }
        expectAcceptance(TestToken.withClaim("nbf", nil))
    }

    @Test("a time may have a fraction")
    func fractions() {
        let now = Double(ValidLogin.seconds)
        expectAcceptance(TestToken.withClaim("exp", .number(now - 59.5)))
        expectRefusal(TestToken.withClaim("exp", .number(now - 60.5)), .expired)
        expectAcceptance(TestToken.withClaim("iat", .number(now + 59.5)))
        expectRefusal(TestToken.withClaim("iat", .number(now + 60.5)), .notYetValid)
        expectAcceptance(TestToken.make(payload: withText("1760000000.0", for: "iat")))
        expectAcceptance(TestToken.make(payload: withText("1.76e9", for: "iat")))
    }

    @Test("a number outside the range of times is refused or compared, without a crash")
    func hugeNumbers() {
        for far in ["9223372036854775807", "9223372036854775", "9.2e18", "999999999999999.5"] {
            expectAcceptance(TestToken.make(payload: withText(far, for: "exp")))
            expectRefusal(TestToken.make(payload: withText(far, for: "iat")), .notYetValid)
            expectRefusal(TestToken.make(payload: withText("-" + far, for: "exp")), .expired)
            expectAcceptance(TestToken.make(payload: withText("-" + far, for: "iat")))
        }
        for beyond in ["1e300", "-1e300", "1e19", "9223372036854775808", "1e400", "NaN", "Infinity"] {
            expectRefusal(TestToken.make(payload: withText(beyond, for: "exp")), .malformed)
            expectRefusal(TestToken.make(payload: withText(beyond, for: "iat")), .malformed)
        }
        expectRefusal(TestToken.make(payload: withText("-9223372036854775808", for: "exp")), .expired)
    }

    /// The valid payload with this text as the value of a time.
    private func withText(_ text: String, for claim: String) -> String {
        let value = ValidLogin.claims[claim]?.description ?? ""
        return ValidLogin.claims.description.replacing("\"\(claim)\":\(value)", with: "\"\(claim)\":\(text)")
    }
}
