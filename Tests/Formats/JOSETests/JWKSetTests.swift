import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Key sets")
struct JWKSetTests {
    private let (rsa, p256, ed25519): (JSONObject, JSONObject, JSONObject)
    private let oct: JSONObject = [
        "kty": "oct", "kid": "o", "k": "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0",
    ]

    /// Made once: an RSA key takes long.
    private static let generated = Result<[JSONObject], any Error> {
        try [(Algorithm.RS256, "r"), (.ES256, "p"), (.EdDSA, "e")].map { algorithm, keyID in
            try #require(try SigningKey.generate(algorithm, keyID: keyID).publicJWK)
        }
    }

    init() throws {
        let keys = try Self.generated.get()
        (rsa, p256, ed25519) = (keys[0], keys[1], keys[2])
    }

    private func set(
        _ keys: [JSONObject], usableFor algorithms: Set<Algorithm> = Set(Algorithm.allCases)
    ) throws -> JWKSet {
        let set: JSONObject = ["keys": .array(keys.map { .object($0) }), "next_update": 7]
        return try JWKSet(parsing: set.bytes, usableFor: algorithms)
    }

    private func changing(_ jwk: JSONObject, _ name: String, to value: JSONValue?) -> JSONObject {
        var jwk = jwk
        jwk[name] = value
        return jwk
    }

    @Test("keys are found by their ids, and listed in the order of the set")
    func findsKeys() throws {
        let set = try set([rsa, p256, ed25519])
        #expect(set.keyIDs == ["r", "p", "e"])
        #expect(set.count == 3)
        #expect(set.skipped == [])
        #expect(set["r"]?.algorithm == .RS256)
        #expect(set["p"]?.algorithm == .ES256)
        #expect(set["e"]?.algorithm == .EdDSA)
        #expect(set["x"] == nil)
        #expect(set[""] == nil)
    }

    @Test("only keys for the given algorithms are accepted")
    func restrictsAlgorithms() throws {
        let set = try set([rsa, p256, ed25519], usableFor: [.RS256])
        #expect(set.keyIDs == ["r"])
        #expect(set.skipped.count == 2)
    }

    @Test("secrets are accepted only if allowed")
    func secrets() throws {
        let bytes = JSONObject([("keys", .array([.object(oct)]))]).bytes
        let careful = try JWKSet(parsing: bytes)
        #expect(careful.isEmpty)
        #expect(careful.skipped == ["key 0: unusable key: a symmetric key"])
        #expect(try JWKSet(parsing: bytes, allowingSymmetric: true)["o"]?.algorithm == .HS256)
    }

    @Test("members that permit verification, and unknown members, are accepted")
    func permittedMembers() throws {
        let keys = [
            changing(rsa, "use", to: nil), changing(rsa, "alg", to: nil), changing(rsa, "key_ops", to: ["verify"]),
            changing(rsa, "key_ops", to: ["sign", "verify"]), changing(rsa, "x5t", to: "AA"),
            changing(rsa, "d", to: "AQAB"),
        ]
        for key in keys { #expect(try set([key]).keyIDs == ["r"]) }
    }

    @Test("an unusable key is skipped, the others are kept")
    func skipsUnusableKeys() throws {
        let unusable = [
            changing(rsa, "kid", to: nil), changing(rsa, "kid", to: ""), changing(rsa, "kid", to: 7),
            changing(rsa, "kid", to: "a\nb"), changing(rsa, "use", to: "enc"),
            changing(rsa, "use", to: nil as JSONValue), changing(rsa, "key_ops", to: []),
            changing(rsa, "key_ops", to: ["sign"]), changing(rsa, "key_ops", to: "verify"),
            changing(rsa, "alg", to: "RS512"), changing(rsa, "alg", to: "PS256"), changing(rsa, "alg", to: "HS256"),
            changing(rsa, "alg", to: 1), changing(rsa, "kty", to: "EC"), changing(rsa, "kty", to: nil),
            changing(rsa, "kty", to: "rsa"), changing(rsa, "n", to: nil), changing(rsa, "n", to: "AQAB"),
            changing(rsa, "n", to: "A+B="), changing(rsa, "e", to: "AQ"), changing(rsa, "e", to: "Ag"),
            changing(rsa, "e", to: ""), changing(rsa, "e", to: "AQAAAAAAAAAB"), changing(p256, "crv", to: "P-384"),
            changing(p256, "crv", to: "secp256k1"), changing(p256, "crv", to: nil), changing(p256, "y", to: p256["x"]),
            changing(p256, "x", to: "AQAB"), changing(p256, "y", to: nil), changing(p256, "alg", to: "RS256"),
            changing(ed25519, "crv", to: "X25519"), changing(ed25519, "x", to: "AQAB"),
            changing(ed25519, "alg", to: "ES256"),
        ]
        for key in unusable {
            let set = try set([key, changing(rsa, "kid", to: "good")])
            #expect(set.keyIDs == ["good"], "\(key)")
            #expect(set.skipped.count == 1, "\(key)")
        }
    }

    @Test("the first of two keys with the same id counts")
    func firstKeyWins() throws {
        let set = try set([changing(p256, "kid", to: "same"), changing(rsa, "kid", to: "same")])
        #expect(set["same"]?.algorithm == .ES256)
        #expect(set.skipped == ["key 1: unusable key: an earlier key has the same kid"])
    }

    @Test("keys that share an id, or have none, are kept if the caller wants them")
    func keepsUnnamedKeys() throws {
        let keys = [
            changing(p256, "kid", to: "same"), changing(rsa, "kid", to: "same"), changing(ed25519, "kid", to: nil),
        ]
        let bytes = JSONObject([("keys", .array(keys.map { .object($0) }))]).bytes
        let set = try JWKSet(parsing: bytes, naming: .any)
        #expect(set.count == 3)
        #expect(set.skipped == [])
        #expect(set.keyIDs == ["same", "same"])
        #expect(set.keys(withID: "same").map(\.algorithm) == [.ES256, .RS256])
        #expect(set["same"]?.algorithm == .ES256)
        #expect(set.keys(for: .EdDSA).map(\.keyID) == [nil])
        #expect(set.keys(for: .RS256).count == 1)
        #expect(set[nil] == nil)
    }

    @Test("an id is compared by its bytes, also between keys whose ids are canonically equivalent")
    func comparesBytes() throws {
        let keys = [changing(p256, "kid", to: "\u{e9}"), changing(rsa, "kid", to: "e\u{301}")]
        let bytes = JSONObject([("keys", .array(keys.map { .object($0) }))]).bytes
        let set = try JWKSet(parsing: bytes, naming: .any)
        #expect(set.keys(withID: "\u{e9}").map(\.algorithm) == [.ES256])
        #expect(set.keys(withID: "e\u{301}").map(\.algorithm) == [.RS256])
    }

    @Test(
        "a text that is not a key set is rejected",
        arguments: [
            "", "{}", "[]", "null", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#, #"{"keys":[}"#,
            #"{"Keys":[]}"#, "<html></html>",
        ])
    func refusesOtherTexts(text: String) {
        #expect(throws: JOSEError.malformed("not a JSON object with an array of keys")) {
            try JWKSet(parsing: Array(text.utf8))
        }
    }

    @Test("a set may be empty, and keys that are not objects are skipped")
    func emptySets() throws {
        #expect(try JWKSet(parsing: Array(#"{"keys":[]}"#.utf8)).isEmpty)
        let set = try JWKSet(parsing: Array(#"{"keys":[null,"x",[],7]}"#.utf8))
        #expect(set.isEmpty)
        #expect(set.skipped.count == 4)
    }
}
