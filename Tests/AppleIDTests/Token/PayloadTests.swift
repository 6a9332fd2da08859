import Gatehouse
import JOSE
import JSON
import Testing

@Suite("The payload of an identity token")
struct PayloadTests {
    @Test(
        "the payload is one JSON object",
        arguments: ["", "null", "[]", #""sub""#, "1", "{", "{} {}", "\u{FEFF}{}", "{}\0"])
    func object(payload: String) {
        expectRefusal(Forge.token(payload: payload), .malformed)
    }

    @Test(
        "no member comes twice, at any depth, in any spelling",
        arguments: [
            #""sub":"x""#, #""\u0073ub":"x""#, #""aud":"com.example.app""#, #""exp":9999999999"#,
            #""address":{"a":1,"a":1}"#, #""address":[{"a":1,"\u0061":1}]"#,
        ])
    func duplicates(member: String) {
        let rest = Genuine.claims.description.dropFirst()
        expectRefusal(Forge.token(payload: "{\(member),\(rest)"), .malformed)
        expectRefusal(Forge.token(payload: "{\(rest.dropLast()),\(member)}"), .malformed)
    }

    @Test("text that is not UTF-8 is refused")
    func encoding() {
        let payload = Array(#"{"x":""#.utf8) + [0xC0, 0xAF] + Array(#"","#.utf8) + Genuine.claims.bytes.dropFirst()
        expectRefusal(
            Forge.signed(Base64URL.encode(Genuine.header.bytes) + "." + Base64URL.encode(payload)), .malformed)
    }

    @Test(
        "a notification from Apple's servers is no login, whatever its events look like",
        arguments: [
            ["type": "consent-revoked", "sub": "x"], #"{"type":"consent-revoked"}"#, [], [["type": "account-delete"]],
            [:], "", .null, 1, false,
        ] as [JSONValue])
    func events(value: JSONValue) {
        expectRefusal(Forge.claim("events", value), .malformed)
    }

    @Test(
        "a subject is a text of 1 to 256 bytes without control characters",
        arguments: [
            nil, .null, "", 1234, ["001234"], [:], true, .string(String(repeating: "s", count: 257)),
            .string(String(repeating: "é", count: 129)), "001234\u{0}", "001234\n", "\u{1F}001234",
        ] as [JSONValue?])
    func subject(value: JSONValue?) {
        expectRefusal(Forge.claim("sub", value), .malformed)
    }

    @Test(
        "a subject is taken as it stands",
        arguments: ["s", String(repeating: "s", count: 256), " ", "ünïcode", "001234 "])
    func acceptedSubjects(subject: String) {
        #expect(expectAcceptance(Forge.claim("sub", .string(subject)))?.subject == subject)
    }

    @Test("claims that nobody knows are let pass")
    func unknownClaim() {
        expectAcceptance(Forge.claim("x-apple", ["a": [1, 2.5, nil]]))
    }
}
