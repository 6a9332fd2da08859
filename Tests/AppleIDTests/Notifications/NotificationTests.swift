import AppleID
import Gatehouse
import JOSE
import JSON
import Testing

@Suite("A notification from Apple's servers")
struct NotificationTests {
    @Test("one in which nothing is wrong is read")
    func genuine() {
        let expected = AppleNotification(
            id: "yctpp1ZHaGCzaNB9PWB4DA", kind: .emailEnabled, subject: Genuine.subject, audience: Genuine.audience,
            moment: Timestamp(milliseconds: Genuine.now * 1000 - 5877),
            issuedAt: Genuine.moment, email: "3430930@privaterelay.appleid.com",
            isPrivateEmail: true)
        #expect(Notice.expectAcceptance(Notice.genuine) == expected)
    }

    @Test("an identity token is no notification, and a notification no login")
    func kinds() {
        Notice.expectRefusal(Genuine.token, .malformed)
        expectRefusal(Notice.genuine, .malformed)
        // Not even one that looks like both, in either direction.
        expectRefusal(Forge.claim("events", .string(Notice.event.description)), .malformed)
        Notice.expectRefusal(Forge.claim("events", nil), .malformed)
    }

    @Test(
        "its form is that of any signed token of Apple's",
        arguments: [
            "", ".", "..", "a.b.c", "null", "{}", Notice.genuine + ".", Notice.genuine + "=", " " + Notice.genuine,
        ])
    func form(text: String) {
        Notice.expectRefusal(text, .malformed)
    }

    @Test("it may have 8192 bytes, and not many more")
    func size() {
        Notice.expectAcceptance(Notice.claim("pad", .string(String(repeating: "p", count: 4000))))
        Notice.expectRefusal(Notice.claim("pad", .string(String(repeating: "p", count: 6200))), .malformed)
    }

    @Test(
        "its header is judged as a login's",
        arguments: [
            (#"{"alg":"RS256"}"#, .malformed), (#"{"kid":"KEY0000001"}"#, .malformed), ("[]", .malformed),
            (#"{"alg":"RS256","kid":"KEY0000001","crit":["exp"]}"#, .malformed),
            (#"{"alg":"RS256","alg":"RS256","kid":"KEY0000001"}"#, .malformed),
            (#"{"alg":"none","kid":"KEY0000001"}"#, .algorithm), (#"{"alg":"HS256","kid":"KEY0000001"}"#, .algorithm),
            (#"{"alg":"ES256","kid":"KEY0000001"}"#, .algorithm), (#"{"alg":"rs256","kid":"KEY0000001"}"#, .algorithm),
        ] as [(String, AppleTokenFault)])
    func header(header: String, fault: AppleTokenFault) {
        Notice.expectRefusal(Forge.token(header: header, payload: Notice.claims.description), fault)
    }

    @Test("a key that Apple does not have is looked for once, a signature that is wrong never again")
    func keys() {
        let strange = #"{"alg":"RS256","kid":"KEY0000009"}"#
        let payload = Notice.claims.description
        Notice.expectRefusal(Forge.token(header: strange, payload: payload), .unknownKey, .theKey)
        Notice.expectRefusal(Forge.token(payload: payload, by: Genuine.forgersKey), .signature, .afterTheKey)
        let parts = Notice.genuine.split(separator: ".").map(String.init)
        let other = Notice.event("sub", "somebody.else").split(separator: ".").map(String.init)
        Notice.expectRefusal("\(other[0]).\(other[1]).\(parts[2])", .signature, .afterTheKey)
        Notice.expectRefusal("\(parts[0]).\(parts[1]).", .signature, .afterTheKey)
    }

    @Test("without Apple's keys nobody can judge it, and it is not refused for good")
    func unavailable() {
        let desk = Desk(policy: .ofTests, isWarm: false) { () throws(KeySetFault) in throw KeySetFault("down") }
        #expect(desk.judge(notification: Notice.genuine) == .failure(.appleKeysUnavailable))
    }

    @Test(
        "its issuer is Apple",
        arguments: [nil, .null, "", "https://appleid.apple.com/", "https://forger.example", 1] as [JSONValue?])
    func issuer(value: JSONValue?) {
        Notice.expectRefusal(Notice.claim("iss", value), .issuer)
    }

    @Test(
        "its audience is one of our apps, alone",
        arguments: [nil, .null, "", "com.example.other", 1, [], ["com.example.app", "com.example.other"]]
            as [JSONValue?])
    func audience(value: JSONValue?) {
        Notice.expectRefusal(Notice.claim("aud", value), .audience)
    }

    @Test("of several apps it tells which it was")
    func severalAudiences() {
        var policy = IdentityTokenPolicy.ofTests
        policy.audiences = ["com.example.app", "com.example.web"]
        for value in ["com.example.web", ["com.example.web"]] as [JSONValue] {
            let notification = Notice.expectAcceptance(Notice.claim("aud", value), policy: policy)
            #expect(notification?.audience == "com.example.web")
        }
    }

    @Test("what is wrong is told in the order of a login: issuer, audience, times, event")
    func order() {
        var claims = Notice.claims
        claims["events"] = [:]
        claims["iat"] = .integer(Genuine.now + 3600)
        Notice.expectRefusal(Forge.token(payload: claims.description), .notYetValid)
        claims["aud"] = "com.example.other"
        Notice.expectRefusal(Forge.token(payload: claims.description), .audience)
        claims["iss"] = "https://forger.example"
        Notice.expectRefusal(Forge.token(payload: claims.description), .issuer)
    }

    @Test(
        "it may have been written at any time, but not in the future; in seconds or in milliseconds",
        arguments: [
            (0, true), (-86_400 * 365, true), (59, true), (60, true), (61, false), (86_400, false),
        ] as [(Int64, Bool)])
    func issued(secondsAhead: Int64, isAccepted: Bool) {
        for moment in [Genuine.now + secondsAhead, (Genuine.now + secondsAhead) * 1000] {
            let text = Notice.claim("iat", .integer(moment))
            if isAccepted { Notice.expectAcceptance(text) } else { Notice.expectRefusal(text, .notYetValid) }
        }
    }

    @Test(
        "where it has an end, that counts as a login's does",
        arguments: [(0, true), (-59, true), (-60, false), (-3600, false), (3600, true)] as [(Int64, Bool)])
    func expiry(secondsAhead: Int64, isAccepted: Bool) {
        for moment in [Genuine.now + secondsAhead, (Genuine.now + secondsAhead) * 1000] {
            let text = Notice.claim("exp", .integer(moment))
            if isAccepted { Notice.expectAcceptance(text) } else { Notice.expectRefusal(text, .expired) }
        }
        Notice.expectAcceptance(Notice.claim("exp", nil), at: Genuine.moment + .seconds(86_400 * 30))
    }

    @Test("a time is a number", arguments: ["iat", "exp"], [.null, "1760000000", true, []] as [JSONValue])
    func noNumber(claim: String, value: JSONValue) {
        Notice.expectRefusal(Notice.claim(claim, value), .malformed)
        Notice.expectRefusal(Notice.claim("iat", nil), .malformed)
    }

    @Test(
        "one without a usable name is named by what it says",
        arguments: [nil, .null, "", 7, .string(String(repeating: "j", count: 257))] as [JSONValue?])
    func unnamed(value: JSONValue?) throws {
        let text = Notice.claim("jti", value)
        let first = try #require(Notice.expectAcceptance(text))
        #expect(first.id.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
        #expect(Notice.expectAcceptance(text)?.id == first.id)
        var claims = Notice.claims
        claims["jti"] = value
        claims["iat"] = .integer(Genuine.now - 1)
        let other = try #require(Notice.expectAcceptance(Forge.token(payload: claims.description)))
        #expect(other.id != first.id)
    }
}
