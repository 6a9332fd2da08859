import JOSE
import JSON
import OpenSSL
import Testing

/// Known attacks on JWT libraries.
@Suite("Attacks")
struct AttackTests {
    private func token(_ header: String, _ payload: String = #"{"sub":"u"}"#, signature: [UInt8] = [1, 2, 3]) -> String
    {
        [Array(header.utf8), Array(payload.utf8), signature].map(Base64URL.encode).joined(separator: ".")
    }

    /// A token with a chosen header and a valid signature.
    private func signed(_ header: String, with key: SigningKey) throws -> String {
        let signingInput = [header, #"{"sub":"u"}"#].map { Base64URL.encode(Array($0.utf8)) }.joined(separator: ".")
        return try signingInput + "." + Base64URL.encode(key.sign(Array(signingInput.utf8)))
    }

    @Test("`none` is rejected in every spelling, signed or not", arguments: Algorithm.allCases)
    func algorithmNone(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        for name in ["none", "None", "NONE", "nOnE", "nonE", "", " none", "none ", "null"] {
            let header = #"{"alg":"\#(name)"}"#
            for token in [token(header, signature: []), try signed(header, with: key)] {
                #expect(throws: JOSEError.algorithm, "\(name)") {
                    try CompactJWS(token).verify(with: key.verificationKey)
                }
            }
        }
    }

    @Test("a token without its signature can be parsed but not verified", arguments: Algorithm.allCases)
    func emptySignature(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let token = try CompactJWS(token(#"{"alg":"\#(algorithm.rawValue)"}"#, signature: []))
        #expect(token.signature.isEmpty)
        #expect(throws: JOSEError.signature) { try token.verify(with: key.verificationKey) }
    }

    @Test(
        "the name of the algorithm must match exactly",
        arguments: ["hs256", "HS256 ", "HS\\u0032\\u0035\\u00362", "HS384", "HS512", "RS256", "ＨＳ256"])
    func algorithmSpelling(name: String) throws {
        let key = try SigningKey.generate(.HS256)
        let token = try CompactJWS(try signed(#"{"alg":"\#(name)"}"#, with: key))
        #expect(throws: JOSEError.algorithm) { try token.verify(with: key.verificationKey) }
    }

    /// The attacker uses every published form of the public key as an HMAC secret.
    @Test("a public key is not accepted as an HMAC secret", arguments: [Algorithm.RS256, .ES256, .EdDSA])
    func algorithmConfusion(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let jwk = try #require(key.publicJWK)
        let publicForms = [jwk.bytes] + ["n", "x"].compactMap { jwk[$0]?.string }.compactMap { Base64URL.decode($0) }
        for secret in publicForms {
            let forger = try SigningKey(hmacSecret: secret, keyID: key.keyID)
            let honestHeader = try CompactJWS(try CompactJWS.sign(payload: [], with: forger))
            #expect(throws: JOSEError.algorithm) { try honestHeader.verify(with: key.verificationKey) }
            let lyingHeader = try CompactJWS(try signed(#"{"alg":"\#(algorithm.rawValue)"}"#, with: forger))
            #expect(throws: JOSEError.signature) { try lyingHeader.verify(with: key.verificationKey) }
        }
    }

    /// CVE-2022-21449: Java accepted R and S of 0 for any message. The order of the curve is equivalent to 0.
    @Test("a signature of zeros is rejected")
    func psychicSignature() throws {
        let key = try SigningKey.generate(.ES256)
        let order: [UInt8] = [
            0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xBC, 0xE6, 0xFA, 0xAD,
            0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
        ]
        let zero = [UInt8](repeating: 0, count: 32)
        let one: [UInt8] = Array(zero.dropLast()) + [1]
        let pairs = [(zero, zero), (zero, one), (one, zero), (order, order), (zero, order), (order, one)]
        for (r, s) in pairs {
            let signature: [UInt8] = r + s
            let token = try CompactJWS(token(#"{"alg":"ES256"}"#, signature: signature))
            #expect(throws: JOSEError.signature) { try token.verify(with: key.verificationKey) }
        }
    }

    @Test("an ECDSA signature in DER, truncated or extended is rejected")
    func signatureLength() throws {
        let key = try SigningKey.generate(.ES256)
        let genuine = try CompactJWS(try CompactJWS.sign(payload: [7], with: key))
        let r = Array(genuine.signature.prefix(32))
        let s = Array(genuine.signature.suffix(32))
        func der(_ number: [UInt8]) -> [UInt8] { [0x02, 33, 0] + number }
        let sequence: [UInt8] = [0x30, 70]
        let zero: [UInt8] = [0]
        let respelled: [[UInt8]] = [
            sequence + der(r) + der(s), r + s + zero, zero + r + s, r + s.dropLast(), r, zero + r + zero + s,
        ]
        for signature in respelled {
            #expect(!key.verificationKey.isValid(signature: signature, for: genuine.signingInput))
        }
        #expect(key.verificationKey.isValid(signature: r + s, for: genuine.signingInput))
    }

    @Test("a token that names another key is rejected before its signature is verified")
    func keyConfusion() throws {
        let key = try SigningKey.generate(.HS256, keyID: "K1")
        for keyID in ["K2", "k1", "\u{212A}1", "K1 "] {
            let token = try CompactJWS(try signed(#"{"alg":"HS256","kid":"\#(keyID)"}"#, with: key))
            #expect(throws: JOSEError.unknownKey) { try token.verify(with: key.verificationKey) }
        }
        let unnamed = try CompactJWS(try signed(#"{"alg":"HS256"}"#, with: key))
        #expect(throws: Never.self) { try unnamed.verify(with: key.verificationKey) }
    }

    @Test("a key in the header is ignored")
    func embeddedKey() throws {
        let forger = try SigningKey.generate(.ES256)
        let jwk = try #require(forger.publicJWK)
        let header = """
            {"alg":"ES256","jwk":\(jwk),"jku":"https://forger.example/keys","x5u":"https://forger.example/x","x5c":["AA=="]}
            """
        let token = try CompactJWS(try signed(header, with: forger))
        let honest = try SigningKey.generate(.ES256)
        #expect(throws: JOSEError.signature) { try token.verify(with: honest.verificationKey) }
    }

    @Test(
        "an invalid or unsupported header is rejected",
        arguments: [
            #"{"alg":"HS256","crit":["exp"],"exp":1}"#, #"{"alg":"HS256","crit":[]}"#, #"{"alg":"HS256","crit":null}"#,
            #"{"alg":"HS256","b64":false}"#, #"{"alg":"HS256","b64":true}"#, #"{"alg":"HS256","zip":"DEF"}"#,
            #"{"alg":"HS256","alg":"none"}"#, #"{"alg":"none","\u0061lg":"HS256"}"#,
            #"{"alg":"HS256","x":{"y":1,"y":2}}"#, #"{}"#, #"{"alg":null}"#, #"{"alg":256}"#, #"{"alg":["HS256"]}"#,
            #"{"ALG":"HS256"}"#, #"["HS256"]"#, #""HS256""#, "", "null", #"{"alg":"HS256"} {}"#,
            "\u{FEFF}{\"alg\":\"HS256\"}", #"{"alg":"HS256","kid":1}"#, #"{"alg":"HS256","kid":null}"#,
            #"{"alg":"HS256","kid":""}"#, #"{"alg":"HS256","kid":"a\u0000"}"#, #"{"alg":"HS256","kid":"a\nb"}"#,
            #"{"alg":"HS256","kid":"\u007f"}"#, #"{"alg":"HS256","kid":"\#(String(repeating: "k", count: 257))"}"#,
            #"{"alg":"HS256","typ":1}"#, #"{"alg":"HS256","typ":null}"#,
        ])
    func refusedHeaders(header: String) throws {
        let key = try SigningKey.generate(.HS256)
        let token = try signed(header, with: key)
        #expect {
            try CompactJWS(token)
        } throws: {
            $0 is MalformedJWS
        }
    }

    @Test("a kid may have up to 256 characters")
    func longestKeyID() throws {
        let keyID = String(repeating: "k", count: 256)
        let key = try SigningKey.generate(.HS256, keyID: keyID)
        #expect(try CompactJWS(try CompactJWS.sign(payload: [], with: key)).keyID == keyID)
    }

    @Test("a token has three parts, each of them strict base64url")
    func parts() throws {
        let key = try SigningKey.generate(.HS256)
        let genuine = try CompactJWS.sign(payload: Array("{}".utf8), header: [:], with: key)
        let parts = genuine.split(separator: ".").map(String.init)
        let (header, payload, signature) = (parts[0], parts[1], parts[2])
        try CompactJWS(genuine).verify(with: key.verificationKey)
        for refused in [
            "", ".", "..", "...", header, "\(header).\(payload)", "\(genuine).", "\(genuine).\(signature)",
            "\(genuine)..", "\(genuine).a.b", ".\(genuine)", ".\(payload).\(signature)", " \(genuine)", "\(genuine) ",
            "\(genuine)\n", "\(header) .\(payload).\(signature)", "\(header)=.\(payload).\(signature)",
            "\(header).\(payload)=.\(signature)", "\(genuine)=", "\(header).\(payload)\n.\(signature)",
            "\(header).e31=.\(signature)", "\(header).e3/.\(signature)", "Bearer \(genuine)", "\(genuine)\0",
        ] {
            #expect(throws: MalformedJWS.self, "\(refused.debugDescription)") { try CompactJWS(refused) }
        }
    }

    /// The last character of 32 encoded bytes has two unused bits, so lenient decoders accept three other characters.
    @Test("the unused bits of the last character of a signature must be zero")
    func trailingBits() throws {
        let key = try SigningKey.generate(.HS256)
        let genuine = try CompactJWS.sign(payload: Array("{}".utf8), with: key)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        let accepted = alphabet.filter { character in
            let token = try? CompactJWS(String(genuine.dropLast()) + String(character))
            return (try? token?.verify(with: key.verificationKey)) != nil
        }
        #expect(accepted == String(genuine.suffix(1)))
    }
}
