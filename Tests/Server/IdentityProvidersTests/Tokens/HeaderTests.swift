import Gatehouse
import JOSE
import JSON
import Testing

@Suite("The header of an identity token")
struct HeaderTests {
    @Test(
        "the header is one JSON object without duplicate members",
        arguments: [
            "", "null", "[]", #""RS256""#, "1", "{", #"{"alg":"RS256","kid":"KEY0000001"} {}"#,
            #"{"alg":"RS256","kid":"KEY0000001","kid":"KEY0000001"}"#,
            #"{"alg":"none","alg":"RS256","kid":"KEY0000001"}"#,
            #"{"alg":"RS256","\u0061lg":"RS256","kid":"KEY0000001"}"#,
            #"{"alg":"RS256","kid":"KEY0000001","x":{"y":1,"\u0079":2}}"#,
            #"{"alg":"RS256","kid":"KEY0000001",}"#, #"{'alg':'RS256','kid':'KEY0000001'}"#,
            "\u{FEFF}{\"alg\":\"RS256\",\"kid\":\"KEY0000001\"}",
        ])
    func object(header: String) {
        expectRefusal(TestToken.make(header: header), .malformed)
    }

    @Test(
        "members that change how a token must be read are refused",
        arguments: [
            ("crit", ["exp"]), ("crit", []), ("crit", nil), ("crit", "exp"), ("b64", false), ("b64", true),
            ("zip", "DEF"), ("b64", .null), ("zip", false),
        ] as [(String, JSONValue)])
    func critical(name: String, value: JSONValue) {
        expectRefusal(TestToken.withHeader(name, value), .malformed)
    }

    @Test(
        "the algorithm is exactly RS256",
        arguments: [
            "none", "None", "NONE", "", "HS256", "HS384", "RS384", "RS512", "PS256", "ES256", "EdDSA", "rs256", "Rs256",
            "RS256 ", " RS256", "RS256\u{0}", "RS2560", "ＲＳ256", "RS256\u{301}", "ES256K", "RSA-SHA256",
            String(repeating: "RS256", count: 600),
        ])
    func algorithm(name: String) {
        expectRefusal(TestToken.withHeader("alg", .string(name)), .algorithm)
    }

    @Test(
        "an algorithm must be a text, and a typ if there is one",
        arguments: [nil, .null, 256, true, ["RS256"], [:]] as [JSONValue?])
    func algorithmOfAnotherType(value: JSONValue?) {
        expectRefusal(TestToken.withHeader("alg", value), .malformed)
        if value != nil { expectRefusal(TestToken.withHeader("typ", value), .malformed) }
    }

    @Test("a token without a signature is refused, whatever its alg")
    func unsigned() {
        for name in ["none", "RS256"] {
            let input = TestToken.withHeader("alg", .string(name)).split(separator: ".")[..<2].joined(separator: ".")
            expectRefusal(
                input + ".", name == "none" ? .algorithm : .signature,
                name == "none" ? .beforeKeyLookup : .afterKeyLookup)
        }
    }

    @Test("Apple's public key is never used as an HMAC secret")
    func confusion() throws {
        let jwk = try #require(ValidLogin.key.publicJWK)
        let modulus = try #require(jwk["n"]?.string.flatMap { Base64URL.decode($0) })
        for secret in [jwk.bytes, modulus, ValidLogin.keySet] {
            let attacker = try SigningKey(hmacSecret: secret)
            let wrongAlgorithm = #"{"kid":"KEY0000001","alg":"RS256"}"#
            expectRefusal(TestToken.make(header: wrongAlgorithm, by: attacker), .signature, .afterKeyLookup)
            let trueAlgorithm = #"{"kid":"KEY0000001","alg":"HS256"}"#
            expectRefusal(TestToken.make(header: trueAlgorithm, by: attacker), .algorithm)
        }
    }

    @Test(
        "a kid is a text of limited length without control characters",
        arguments: [
            nil, .null, 1, true, "", ["KEY0000001"], [:], .string(String(repeating: "K", count: 300)), "KEY\u{0}",
            "KEY\n0000001", "\u{7F}",
        ] as [JSONValue?])
    func keyID(value: JSONValue?) {
        expectRefusal(TestToken.withHeader("kid", value), .malformed)
    }

    @Test(
        "a kid is compared byte by byte",
        arguments: ["KEY0000003", "key0000001", "KEY0000001 ", "\u{212A}EY0000001", "KEY000000", "KEY00000011", "../1"])
    func unknownKey(name: String) {
        expectRefusal(TestToken.withHeader("kid", .string(name)), .unknownKey, .keyLookup)
    }

    @Test("a key inside the token is ignored")
    func embeddedKey() throws {
        var header = ValidLogin.header
        header["jwk"] = .object(try #require(ValidLogin.attackersKey.publicJWK))
        header["jku"] = "https://forger.example/keys"
        header["x5u"] = "https://forger.example/chain"
        header["x5c"] = ["AA=="]
        expectRefusal(
            TestToken.make(header: header.description, by: ValidLogin.attackersKey), .signature, .afterKeyLookup)
        expectAcceptance(TestToken.make(header: header.description))
    }

    @Test("typ is ignored", arguments: [nil, "JWT", "jwt", "at+jwt", "application/x"])
    func type(name: String?) {
        expectAcceptance(TestToken.withHeader("typ", name.map(JSONValue.string)))
    }

    @Test("unknown members are ignored", arguments: ["x-apple", "jwk", "jku", "x5u", "x5c", "x5t", "cty"])
    func unknownMember(name: String) {
        for value in [["a": 1], .null, 1] as [JSONValue] { expectAcceptance(TestToken.withHeader(name, value)) }
    }
}
