import Gatehouse
import IdentityProviders
import JOSE
import JSON
import Testing

@Suite("A notification from Apple's servers")
struct NotificationTests {
    @Test("a valid notification is read")
    func valid() {
        let expected = AppleNotification(
            id: "yctpp1ZHaGCzaNB9PWB4DA", kind: .emailEnabled, subject: ValidLogin.subject,
            audience: ValidLogin.audience,
            moment: Timestamp(milliseconds: ValidLogin.seconds * 1000 - 5877),
            issuedAt: ValidLogin.now, email: "3430930@privaterelay.appleid.com",
            isPrivateEmail: true)
        #expect(TestNotification.expectAcceptance(TestNotification.valid) == expected)
    }

    @Test("a notification may name the client of browsers, alone or in a list, and a token of an app may not")
    func clientOfBrowsers() throws {
        let notifications = TokenRules.apple(audiences: [ValidLogin.audience, "com.example.web"])
        let fixture = VerifierFixture(policy: .ofTests, isWarm: true, notifications: notifications)
        let notification = TestNotification.withClaim("aud", "com.example.web")
        for token in [notification, TestNotification.withClaim("aud", ["com.example.web"])] {
            #expect(try fixture.verify(notification: token).get().audience == "com.example.web")
        }
        let token = TestToken.withClaim("aud", "com.example.web")
        #expect(fixture.verify(IdentityCredential(identityToken: token)).reason == .audience)
        TestNotification.expectRefusal(notification, .audience)
    }

    @Test("an identity token is refused as a notification, and a notification as a login")
    func kinds() {
        TestNotification.expectRefusal(ValidLogin.token, .malformed)
        expectRefusal(TestNotification.valid, .malformed)
        // Nor is a token accepted that has the claims of both.
        expectRefusal(TestToken.withClaim("events", .string(TestNotification.event.description)), .malformed)
        TestNotification.expectRefusal(TestToken.withClaim("events", nil), .malformed)
    }

    @Test(
        "its header is checked like the header of an identity token",
        arguments: [
            (#"{"alg":"RS256"}"#, .malformed), ("[]", .malformed), (#"{"alg":"none","kid":"KEY0000001"}"#, .algorithm),
        ] as [(String, IdentityFault.Reason)])
    func header(header: String, fault: IdentityFault.Reason) {
        TestNotification.expectRefusal(
            TestToken.make(header: header, payload: TestNotification.claims.description), fault)
    }

    @Test("an unknown key causes one fetch, and an invalid signature none")
    func keys() {
        let unknownKey = #"{"alg":"RS256","kid":"KEY0000009"}"#
        let payload = TestNotification.claims.description
        TestNotification.expectRefusal(TestToken.make(header: unknownKey, payload: payload), .unknownKey, .keyLookup)
        TestNotification.expectRefusal(
            TestToken.make(payload: payload, by: ValidLogin.attackersKey), .signature, .afterKeyLookup)
        let parts = TestNotification.valid.split(separator: ".").map(String.init)
        let other = TestNotification.withEventMember("sub", "another.user").split(separator: ".").map(String.init)
        TestNotification.expectRefusal("\(other[0]).\(other[1]).\(parts[2])", .signature, .afterKeyLookup)
        TestNotification.expectRefusal("\(parts[0]).\(parts[1]).", .signature, .afterKeyLookup)
    }

    @Test(
        "the issuer must be Apple",
        arguments: [nil, .null, "", "https://appleid.apple.com/", "https://forger.example", 1] as [JSONValue?])
    func issuer(value: JSONValue?) {
        TestNotification.expectRefusal(TestNotification.withClaim("iss", value), .issuer)
    }

    @Test(
        "the audience must be one of the apps alone",
        arguments: [nil, .null, "", "com.example.other", 1, [], ["com.example.app", "com.example.other"]]
            as [JSONValue?])
    func audience(value: JSONValue?) {
        TestNotification.expectRefusal(TestNotification.withClaim("aud", value), .audience)
    }

    @Test("checks are made in the order issuer, audience, times, event")
    func order() {
        var claims = TestNotification.claims
        claims["events"] = [:]
        claims["iat"] = .integer(ValidLogin.seconds + 3600)
        TestNotification.expectRefusal(TestToken.make(payload: claims.description), .notYetValid)
        claims["aud"] = "com.example.other"
        TestNotification.expectRefusal(TestToken.make(payload: claims.description), .audience)
        claims["iss"] = "https://forger.example"
        TestNotification.expectRefusal(TestToken.make(payload: claims.description), .issuer)
    }

    @Test(
        "iat is in the past, with a leeway, in seconds or milliseconds",
        arguments: [
            (0, true), (-86_400 * 365, true), (59, true), (60, true), (61, false), (86_400, false),
        ] as [(Int64, Bool)])
    func issued(secondsAhead: Int64, isAccepted: Bool) {
        for moment in [ValidLogin.seconds + secondsAhead, (ValidLogin.seconds + secondsAhead) * 1000] {
            let text = TestNotification.withClaim("iat", .integer(moment))
            if isAccepted {
                TestNotification.expectAcceptance(text)
            } else {
                TestNotification.expectRefusal(text, .notYetValid)
            }
        }
    }

    @Test(
        "exp is checked if there is one",
        arguments: [(0, true), (-59, true), (-60, false), (-3600, false), (3600, true)] as [(Int64, Bool)])
    func expiry(secondsAhead: Int64, isAccepted: Bool) {
        for moment in [ValidLogin.seconds + secondsAhead, (ValidLogin.seconds + secondsAhead) * 1000] {
            let text = TestNotification.withClaim("exp", .integer(moment))
            if isAccepted {
                TestNotification.expectAcceptance(text)
            } else {
                TestNotification.expectRefusal(text, .expired)
            }
        }
        TestNotification.expectAcceptance(
            TestNotification.withClaim("exp", nil), at: ValidLogin.now + .seconds(86_400 * 30))
    }

    @Test("a time must be a number", arguments: ["iat", "exp"], [.null, "1760000000", true, []] as [JSONValue])
    func notANumber(claim: String, value: JSONValue) {
        TestNotification.expectRefusal(TestNotification.withClaim(claim, value), .malformed)
        TestNotification.expectRefusal(TestNotification.withClaim("iat", nil), .malformed)
    }

    @Test(
        "without a usable jti the id is a hash of the content",
        arguments: [nil, .null, "", 7, .string(String(repeating: "j", count: 257)), "j\0"] as [JSONValue?])
    func withoutID(value: JSONValue?) throws {
        let text = TestNotification.withClaim("jti", value)
        let first = try #require(TestNotification.expectAcceptance(text))
        #expect(first.id.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
        #expect(TestNotification.expectAcceptance(text)?.id == first.id)
        var claims = TestNotification.claims
        claims["jti"] = value
        claims["iat"] = .integer(ValidLogin.seconds - 1)
        let other = try #require(TestNotification.expectAcceptance(TestToken.make(payload: claims.description)))
        #expect(other.id != first.id)
    }
}
