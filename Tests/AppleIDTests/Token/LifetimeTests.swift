import Gatehouse
import JSON
import Testing

@Suite("When an identity token holds")
struct LifetimeTests {
    @Test("a token holds for 60 seconds longer than it says, and no second more", arguments: [-3600, -1, 0, 1, 59])
    func notYetExpired(secondsAfter: Int64) {
        expectAcceptance(Forge.claim("exp", .integer(Genuine.now - secondsAfter)))
    }

    @Test("an expired token is refused", arguments: [60, 61, 3600, Genuine.now, Genuine.now + 1, Genuine.now * 2])
    func expired(secondsAfter: Int64) {
        expectRefusal(Forge.claim("exp", .integer(Genuine.now - secondsAfter)), .expired)
    }

    @Test("the last moment is counted in milliseconds")
    func lastMillisecond() {
        let expiry = Timestamp(seconds: Genuine.now + 86_400)
        expectAcceptance(Genuine.token, at: expiry + .milliseconds(59_999))
        expectRefusal(Genuine.token, .expired, at: expiry + .seconds(60))
    }

    @Test("a token may come from a clock 60 seconds ahead", arguments: ["iat", "nbf"], [-86_400, -1, 0, 1, 59, 60])
    func fromTheFuture(claim: String, secondsAhead: Int64) {
        expectAcceptance(Forge.claim(claim, .integer(Genuine.now + secondsAhead)))
    }

    @Test("a token from further ahead is not valid yet", arguments: ["iat", "nbf"], [61, 3600, 1_000_000_000])
    func notYetValid(claim: String, secondsAhead: Int64) {
        expectRefusal(Forge.claim(claim, .integer(Genuine.now + secondsAhead)), .notYetValid)
    }

    @Test("nbf bounds a token whose iat is long past, and iat one whose nbf is")
    func bothBounds() {
        let (past, future) = (JSONValue.integer(Genuine.now - 7200), JSONValue.integer(Genuine.now + 61))
        expectRefusal(Forge.claims([("iat", past), ("nbf", future)]), .notYetValid)
        expectRefusal(Forge.claims([("iat", future), ("nbf", past)]), .notYetValid)
        expectAcceptance(Forge.claims([("iat", past), ("nbf", past)]))
    }

    @Test(
        "a time is a number",
        arguments: ["iat", "exp"], [nil, .null, "1760000000", "", true, [1_760_000_000], [:]] as [JSONValue?])
    func noNumber(claim: String, value: JSONValue?) {
        expectRefusal(Forge.claim(claim, value), .malformed)
    }

    @Test(
        "nbf may be missing and must otherwise be a number", arguments: [.null, "1760000000", true, []] as [JSONValue])
    func notBeforeIsANumber(value: JSONValue) {
        expectRefusal(Forge.claim("nbf", value), .malformed)
        expectAcceptance(Forge.claim("nbf", nil))
    }

    @Test("a time may have a fraction")
    func fractions() {
        let now = Double(Genuine.now)
        expectAcceptance(Forge.claim("exp", .number(now - 59.5)))
        expectRefusal(Forge.claim("exp", .number(now - 60.5)), .expired)
        expectAcceptance(Forge.claim("iat", .number(now + 59.5)))
        expectRefusal(Forge.claim("iat", .number(now + 60.5)), .notYetValid)
        expectAcceptance(Forge.token(payload: withText("1760000000.0", for: "iat")))
        expectAcceptance(Forge.token(payload: withText("1.76e9", for: "iat")))
    }

    @Test("a number beyond all times is judged and breaks nothing")
    func hugeNumbers() {
        for far in ["9223372036854775807", "9223372036854775", "9.2e18", "999999999999999.5"] {
            expectAcceptance(Forge.token(payload: withText(far, for: "exp")))
            expectRefusal(Forge.token(payload: withText(far, for: "iat")), .notYetValid)
            expectRefusal(Forge.token(payload: withText("-" + far, for: "exp")), .expired)
            expectAcceptance(Forge.token(payload: withText("-" + far, for: "iat")))
        }
        for beyond in ["1e300", "-1e300", "1e19", "9223372036854775808", "1e400", "NaN", "Infinity"] {
            expectRefusal(Forge.token(payload: withText(beyond, for: "exp")), .malformed)
            expectRefusal(Forge.token(payload: withText(beyond, for: "iat")), .malformed)
        }
        expectRefusal(Forge.token(payload: withText("-9223372036854775808", for: "exp")), .expired)
    }

    /// The genuine payload with a time spelled as told.
    private func withText(_ text: String, for claim: String) -> String {
        let value = Genuine.claims[claim]?.description ?? ""
        return Genuine.claims.description.replacing("\"\(claim)\":\(value)", with: "\"\(claim)\":\(text)")
    }
}
