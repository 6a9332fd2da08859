import JOSE
import JSON
import OpenSSL
import Testing

@Suite("Compact tokens")
struct CompactJWSTests {
    @Test("a signature is valid for the verification key", arguments: Algorithm.allCases)
    func roundTrip(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm)
        let token = try CompactJWS(try CompactJWS.sign(payload: Array(#"{"sub":"u"}"#.utf8), type: "at+jwt", with: key))
        #expect(token.algorithmName == algorithm.rawValue)
        #expect(token.keyID == key.thumbprint)
        #expect(token.type == "at+jwt")
        #expect(token.header.names == ["alg", "kid", "typ"])
        try token.verify(with: key.verificationKey)
        #expect(try token.claims() == ["sub": "u"])
    }

    @Test("another key of the same algorithm does not verify", arguments: Algorithm.allCases)
    func otherKey(algorithm: Algorithm) throws {
        let key = try SigningKey.generate(algorithm, keyID: "same")
        let other = try SigningKey.generate(algorithm, keyID: "same")
        let token = try CompactJWS(try CompactJWS.sign(payload: [1, 2, 3], with: key))
        #expect(throws: JOSEError.signature) { try token.verify(with: other.verificationKey) }
    }

    @Test("a token signer writes the same tokens as CompactJWS.sign")
    func tokenSigner() throws {
        let key = try SigningKey.generate(.HS256, keyID: "k1")
        let signer = TokenSigner(key: key, type: "JWT")
        for payload in ["", "{}", #"{"n":1}"#].map({ Array($0.utf8) }) {
            #expect(signer.token(for: payload) == (try CompactJWS.sign(payload: payload, type: "JWT", with: key)))
        }
    }

    @Test("a token with any character changed is rejected")
    func everyCharacterCounts() throws {
        let key = try SigningKey.generate(.HS256)
        let token = Array(try CompactJWS.sign(payload: Array(#"{"sub":"u","n":7}"#.utf8), with: key).utf8)
        for index in token.indices {
            var changed = token
            changed[index] = token[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            #expect(throws: (any Error).self, "character \(index)") {
                try CompactJWS(String(decoding: changed, as: UTF8.self)).verify(with: key.verificationKey)
            }
        }
    }

    @Test("a token is split at its dots at every position", arguments: 0..<50)
    func parts(count: Int) throws {
        let bytes = [UInt8](repeating: 0xA7, count: count)
        let input = Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)) + "." + Base64URL.encode(bytes)
        let token = try CompactJWS(input + "." + Base64URL.encode(bytes))
        #expect(token.payload == bytes && token.signature == bytes)
        #expect(token.signingInput == Array(input.utf8) && token.signingHash == SHA256.hash(input))
    }

    @Test("a token may reach the maximum length but not exceed it")
    func limitsLength() throws {
        let key = try SigningKey.generate(.HS256)
        let token = try CompactJWS.sign(payload: [UInt8](repeating: 0x20, count: 600), with: key)
        #expect(throws: Never.self) { try CompactJWS(token, maximumBytes: token.utf8.count) }
        #expect(throws: MalformedJWS.tooLong(limit: token.utf8.count - 1)) {
            try CompactJWS(token, maximumBytes: token.utf8.count - 1)
        }
        let long = try CompactJWS.sign(payload: [UInt8](repeating: 0x20, count: 6200), with: key)
        #expect(throws: MalformedJWS.tooLong(limit: 8192)) { try CompactJWS(long) }
    }

    @Test(
        "claims must be a JSON object without duplicate members",
        arguments: ["", "null", "[]", "\"x\"", "{", #"{"sub":"a","sub":"b"}"#, "{} {}", "\u{FEFF}{}"])
    func claims(payload: String) throws {
        let key = try SigningKey.generate(.HS256)
        let token = try CompactJWS(try CompactJWS.sign(payload: Array(payload.utf8), with: key))
        try token.verify(with: key.verificationKey)
        #expect {
            try token.claims()
        } throws: {
            guard case .content(.payload, _) = $0 as? MalformedJWS else { return false }
            return true
        }
    }
}
