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
        expectRefusal(Forge.token(header: header), .malformed)
    }

    @Test(
        "members that change how a token is to be read get it refused",
        arguments: [
            ("crit", ["exp"]), ("crit", []), ("crit", nil), ("crit", "exp"), ("b64", false), ("b64", true),
            ("zip", "DEF"),
        ] as [(String, JSONValue)])
    func critical(name: String, value: JSONValue) {
        expectRefusal(Forge.header(name, value), .malformed)
    }

    @Test(
        "the algorithm is exactly RS256",
        arguments: [
            "none", "None", "NONE", "", "HS256", "HS384", "RS384", "RS512", "PS256", "ES256", "EdDSA", "rs256", "Rs256",
            "RS256 ", " RS256", "RS256\u{0}", "RS2560", "ＲＳ256", "RS256\u{301}",
        ])
    func algorithm(name: String) {
        expectRefusal(Forge.header("alg", .string(name)), .algorithm)
    }

    @Test("an algorithm that is no text is none", arguments: [nil, .null, 256, true, ["RS256"], [:]] as [JSONValue?])
    func algorithmOfAnotherType(value: JSONValue?) {
        expectRefusal(Forge.header("alg", value), .malformed)
    }

    @Test("a token without a signature is refused whatever it calls that")
    func unsigned() {
        for name in ["none", "RS256"] {
            let input = Forge.header("alg", .string(name)).split(separator: ".")[..<2].joined(separator: ".")
            expectRefusal(
                input + ".", name == "none" ? .algorithm : .signature, name == "none" ? .beforeTheKey : .afterTheKey)
        }
    }

    @Test("Apple's public key is never taken for a secret")
    func confusion() throws {
        let jwk = try #require(Genuine.key.publicJWK)
        let modulus = try #require(jwk["n"]?.string.flatMap { Base64URL.decode($0) })
        for secret in [jwk.bytes, modulus, Genuine.keySet] {
            let forger = try SigningKey(hmacSecret: secret)
            let lying = #"{"kid":"KEY0000001","alg":"RS256"}"#
            expectRefusal(Forge.token(header: lying, by: forger), .signature, .afterTheKey)
            let honest = #"{"kid":"KEY0000001","alg":"HS256"}"#
            expectRefusal(Forge.token(header: honest, by: forger), .algorithm)
        }
    }

    @Test(
        "a kid is a short text",
        arguments: [
            nil, .null, 1, true, "", ["KEY0000001"], [:], .string(String(repeating: "K", count: 300)), "KEY\u{0}",
            "KEY\n0000001", "\u{7F}",
        ] as [JSONValue?])
    func keyID(value: JSONValue?) {
        expectRefusal(Forge.header("kid", value), .malformed)
    }

    @Test(
        "a kid is compared byte by byte",
        arguments: ["KEY0000003", "key0000001", "KEY0000001 ", "\u{212A}EY0000001", "KEY000000", "KEY00000011", "../1"])
    func unknownKey(name: String) {
        expectRefusal(Forge.header("kid", .string(name)), .unknownKey, .theKey)
    }

    @Test("a key that comes with the token is not looked at")
    func embeddedKey() throws {
        var header = Genuine.header
        header["jwk"] = .object(try #require(Genuine.forgersKey.publicJWK))
        header["jku"] = "https://forger.example/keys"
        header["x5u"] = "https://forger.example/chain"
        header["x5c"] = ["AA=="]
        expectRefusal(Forge.token(header: header.description, by: Genuine.forgersKey), .signature, .afterTheKey)
        expectAcceptance(Forge.token(header: header.description))
    }

    @Test("what the header calls the token does not matter", arguments: [nil, "JWT", "jwt", "at+jwt", "application/x"])
    func type(name: String?) {
        expectAcceptance(Forge.header("typ", name.map(JSONValue.string)))
    }

    @Test("members that nobody knows are let pass")
    func unknownMember() {
        expectAcceptance(Forge.header("x-apple", ["a": 1]))
    }
}
