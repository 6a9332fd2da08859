import Foundation
import TestSupport
import Testing

@Suite("gatehouse jws verify")
struct JWSVerifyTests {
    /// A token of an RFC, its key and its payload.
    struct Vector: CustomTestStringConvertible {
        let testDescription: String
        let algorithm: String
        let key: String
        let token: String
        let payload: String
    }

    private static let claims = "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}"
    private static let encodedClaims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    static let hs256 = Vector(
        testDescription: "RFC 7515, appendix A.1", algorithm: "HS256",
        key: """
            {"kty":"oct",
             "k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"}
            """,
        token: "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(encodedClaims).dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
        payload: claims)

    static let es256 = Vector(
        testDescription: "RFC 7515, appendix A.3", algorithm: "ES256",
        key: """
            {"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
             "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
            """,
        token: """
            eyJhbGciOiJFUzI1NiJ9.\(encodedClaims).DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfK\
            TUJqPP3-Kg6NU1Q
            """,
        payload: claims)

    static let ed25519 = Vector(
        testDescription: "RFC 8037, appendix A.4", algorithm: "EdDSA",
        key: #"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#,
        token: """
            eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc.hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR\
            4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg
            """,
        payload: "Example of Ed25519 signing")

    static let vectors = [hs256, es256, ed25519]

    private let tool: Tool
    private let keys: String

    /// All keys in one set, without a kid as in the RFCs.
    init() throws {
        tool = try Tool()
        keys = try tool.file("keys.json", #"{"keys":[\#(Self.vectors.map(\.key).joined(separator: ","))]}"#)
    }

    private func verify(_ token: String, as algorithm: String, keys: String? = nil, input: String = "") throws
        -> Shell.Outcome
    {
        try tool.run(["jws", "verify", "--jwks", keys ?? self.keys, "--alg", algorithm, token], input: input)
    }

    @Test("the tokens of the RFCs are valid; the token or the key set may come from standard input", arguments: vectors)
    func good(vector: Vector) throws {
        for outcome in [
            try verify(vector.token, as: vector.algorithm),
            try verify("-", as: vector.algorithm, input: vector.token + "\n"),
            try verify(vector.token, as: vector.algorithm, keys: "-", input: #"{"keys":[\#(vector.key)]}"#),
        ] {
            #expect(outcome.status == 0 && outcome.text == vector.payload + "\n")
        }
    }

    @Test("a token is refused with any other algorithm", arguments: vectors)
    func otherAlgorithm(vector: Vector) throws {
        for other in Self.vectors where other.algorithm != vector.algorithm {
            let outcome = try verify(vector.token, as: other.algorithm)
            #expect(outcome.status == 1 && outcome.text.hasPrefix("algorithm: "))
        }
    }

    @Test("a changed token is refused", arguments: vectors)
    func changed(vector: Vector) throws {
        let parts = vector.token.split(separator: ".").map(String.init)
        let forged = [parts[0], parts[1], (parts[2].hasPrefix("A") ? "B" : "A") + parts[2].dropFirst()]
        let other = [parts[0], "e30", parts[2]]
        for token in [forged, other].map({ $0.joined(separator: ".") }) {
            let outcome = try verify(token, as: vector.algorithm)
            #expect(outcome.status == 1 && outcome.text.hasPrefix("signature: "))
        }
        let cut = try verify(parts[0] + "." + parts[1], as: vector.algorithm)
        #expect(cut.status == 1 && cut.text.hasPrefix("malformed: "))
    }

    @Test("without a key for the algorithm every token is refused", arguments: vectors)
    func noKey(vector: Vector) throws {
        let others = Self.vectors.filter { $0.algorithm != vector.algorithm }.map(\.key).joined(separator: ",")
        let set = try tool.file("others.json", #"{"keys":[\#(others)]}"#)
        let outcome = try verify(vector.token, as: vector.algorithm, keys: set)
        #expect(outcome.status == 1 && outcome.text.hasPrefix("unknown_key: "))
    }

    @Test("an unknown algorithm is wrong usage", arguments: ["none", "RS384", "hs256", ""])
    func wrongAlgorithm(name: String) throws {
        try verify(Self.hs256.token, as: name).expectRefusal(2)
    }
}
