import Gatehouse
import JOSE
import JSON
import Testing

@Suite("The payload of an identity token")
struct PayloadTests {
    @Test(
        "the payload is one JSON object",
        arguments: ["", "null", "[]", #""sub""#, "1", "{", "{} {}", "\u{FEFF}{}", "{}\0", "{},", "\0{}", "/**/{}"])
    func object(payload: String) {
        let claims = ValidLogin.claims.description
        expectRefusal(TestToken.make(payload: payload.replacing("{}", with: claims)), .malformed)
    }

    @Test("a payload that is nested too deeply is refused", arguments: [33, 1500])
    func depth(levels: Int) {
        let nested = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        expectRefusal(
            TestToken.make(payload: "{\"x\":\(nested),\(ValidLogin.claims.description.dropFirst())"), .malformed)
    }

    @Test(
        "a duplicate member is refused at any depth and in any escaped form",
        arguments: [
            #""sub":"x""#, #""\u0073ub":"x""#, #""aud":"com.example.app""#, #""exp":9999999999"#,
            #""address":{"a":1,"a":1}"#, #""address":[{"a":1,"\u0061":1}]"#,
        ])
    func duplicates(member: String) {
        let rest = ValidLogin.claims.description.dropFirst()
        expectRefusal(TestToken.make(payload: "{\(member),\(rest)"), .malformed)
        expectRefusal(TestToken.make(payload: "{\(rest.dropLast()),\(member)}"), .malformed)
    }

    @Test("text that is not UTF-8 is refused")
    func encoding() {
        let payload = Array(#"{"x":""#.utf8) + [0xC0, 0xAF] + Array(#"","#.utf8) + ValidLogin.claims.bytes.dropFirst()
        expectRefusal(
            TestToken.signed(Base64URL.encode(ValidLogin.header.bytes) + "." + Base64URL.encode(payload)), .malformed)
    }

    @Test(
        "a token with events is a notification and is refused as a login",
        arguments: [
            ["type": "consent-revoked", "sub": "x"], #"{"type":"consent-revoked"}"#, [], [["type": "account-delete"]],
            [:], "", .null, 1, false,
        ] as [JSONValue])
    func events(value: JSONValue) {
        expectRefusal(TestToken.withClaim("events", value), .malformed)
    }

    @Test(
        "a subject is a text of 1 to 256 bytes without control characters",
        arguments: [
            nil, .null, "", 1234, ["001234"], [:], true, .string(String(repeating: "s", count: 257)),
            .string(String(repeating: "é", count: 129)), "001234\u{0}", "001234\n", "\u{1F}001234",
        ] as [JSONValue?])
    func subject(value: JSONValue?) {
        expectRefusal(TestToken.withClaim("sub", value), .malformed)
    }

    @Test(
        "a subject is used unchanged",
        arguments: ["s", String(repeating: "s", count: 256), " ", "ünïcode", "001234 "])
    func acceptedSubjects(subject: String) {
        #expect(expectAcceptance(TestToken.withClaim("sub", .string(subject)))?.subject == subject)
    }

    @Test("claims that do not identify the user are ignored", arguments: ["x-apple", "auth_time", "at_hash", "org_id"])
    func unknownClaim(name: String) {
        for value in [["a": [1, 2.5, nil]], .null, "x"] as [JSONValue] {
            expectAcceptance(TestToken.withClaim(name, value))
        }
    }
}
